import type { Context, Fiber } from '@deepseek-ai/cordis'
import type {
  ResolvedToolSet,
  ScopeKey,
  ToolActivationContext,
  ToolBatchInput,
  ToolBatchResult,
  ToolDefinition,
  ToolDiagnostic,
  ToolEvents,
  ToolExecution,
  ToolExecutionMode,
  ToolExecutor,
  ToolExplanation,
  ToolGuard,
  ToolModelInput,
  ToolPromptSection,
  ToolRegistrationOptions,
  ToolRestriction,
  ToolSchema,
  ToolsService as Tools,
} from '@dsh/tools'
import type { Services } from '@dsh/tools/ports'
import { type CordisRuntime, createdRuntimeOf, type ToolsServiceOptions } from './cordis-runtime.ts'
import { scopeOf } from './scope-mark.ts'

// `logger` keeps the type that Cordis gives it; `ctx.get('logger')` finds the port.
declare module '@deepseek-ai/cordis' {
  interface Events extends ToolEvents {}
  interface Context extends Omit<Services, 'logger'> {
    tools: Tools
  }
}

/** Where executors find the pipeline behind a `tools` service. */
const PIPELINE = Symbol.for('@dsh/tools/pipeline')
/** Under a symbol, because Cordis looks up text names of a service in several places. */
const ROOT = Symbol('the tools of the root scope')
const RUNTIME = Symbol('the runtime')

/**
 * `ctx.tools`. What is looked up or run goes straight to the runtime; what is registered belongs to the fiber, and goes to
 * the scope, of the context whose `tools` is asked.
 */
class CordisTools implements Tools {
  static readonly name = 'ToolsService'
  static readonly provide = 'tools'
  /** The context that asks: Cordis hands every context a view of this object with its own. */
  declare protected readonly ctx: Context
  private readonly [RUNTIME]: CordisRuntime
  private readonly [ROOT]: Tools

  constructor(ctx: Context, given?: ToolsServiceOptions | null) {
    const options = given ?? {} // an empty configuration file says null
    const runtime = createdRuntimeOf(ctx, options)
    this[RUNTIME] = runtime
    this[ROOT] = runtime.root.tools
    ctx.effect(() => runtime.take(ctx.fiber, options), 'ctx.tools')
    // `noShadow`: the methods need to know who asks, and nothing of the many proxies with which Cordis tells who answers
    Object.defineProperty(this, Symbol.for('cordis.tracker'), { value: { property: 'ctx', noShadow: true } })
    Object.defineProperty(this, PIPELINE, { value: (runtime.root.tools as { readonly [PIPELINE]?: unknown })[PIPELINE] })
    ctx.on('internal/plugin', (fiber) => runtime.lifetimes.leaving(fiber))
    ctx.on('internal/update', refuseOthers(runtime))
    runtime.listeners.start(ctx)
    runtime.ports.start(ctx)
    for (const name of ['logger', 'clock'] as const) {
      if (ctx.get(name as string, false) === undefined) ctx.provide(name as string, runtime.root.get(name))
    }
    ctx.provide('tools', this)
  }

  /** The key of the scope that the asking context acts in. */
  get scope(): ScopeKey | undefined {
    return scopeOf(this.ctx)
  }

  register(definition: ToolDefinition, options?: ToolRegistrationOptions): () => void {
    return own(this, `register(${JSON.stringify(definition?.name)})`, (tools) => tools.register(definition, options))
  }

  restrict(filter: ToolRestriction): () => void {
    return own(this, 'restrict()', (tools) => tools.restrict(filter))
  }

  guard(guard: ToolGuard): () => void {
    return own(this, 'guard()', (tools) => tools.guard(guard))
  }

  setExecutor(executor: ToolExecutor): () => void {
    return own(this, 'setExecutor()', (tools) => tools.setExecutor(executor))
  }

  get(name: string, scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolDefinition | undefined {
    return this[ROOT].get(name, scope, toolSet)
  }

  executable(name: string, scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolDefinition | undefined {
    return this[ROOT].executable(name, scope, toolSet)
  }

  executionMode(exec: Pick<ToolExecution, 'name' | 'arguments' | 'agent' | 'toolSet'>): ToolExecutionMode {
    return this[ROOT].executionMode(exec)
  }

  explain(name: string, scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolExplanation {
    return this[ROOT].explain(name, scope, toolSet)
  }

  resolve(context: ToolActivationContext): Promise<ResolvedToolSet> {
    return this[ROOT].resolve(context)
  }

  definitions(scope?: ScopeKey, toolSet?: ResolvedToolSet): readonly ToolDefinition[] {
    return this[ROOT].definitions(scope, toolSet)
  }

  schemas(scope?: ScopeKey, toolSet?: ResolvedToolSet): readonly ToolSchema[] {
    return this[ROOT].schemas(scope, toolSet)
  }

  modelInput(scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolModelInput {
    return this[ROOT].modelInput(scope, toolSet)
  }

  sections(scope?: ScopeKey): readonly ToolPromptSection[] {
    return this[ROOT].sections(scope)
  }

  execute(input: ToolBatchInput): Promise<ToolBatchResult> {
    return this[ROOT].execute(input)
  }

  checkGuards(exec: ToolExecution): string | undefined {
    return this[ROOT].checkGuards(exec)
  }

  report(diagnostic: ToolDiagnostic, scope?: ScopeKey): void {
    this[ROOT].report(diagnostic, scope)
  }
}

/**
 * A service whose configuration is updated is mounted again by Cordis, which drops the promise of it: other options would end the
 * service, and the process. So they are refused before, with the configuration put back that Cordis would use from now on.
 */
function refuseOthers(runtime: CordisRuntime) {
  return function (this: Fiber, options: ToolsServiceOptions, _noSave: boolean, next: () => void): void {
    try {
      runtime.assertSame(options ?? {})
    } catch (error) {
      ;(this as unknown as { _config: unknown })._config = this.config
      throw error
    }
    next()
  }
}

/** Register something in the scope of the asking context, for its fiber. */
function own(service: CordisTools, label: string, register: (tools: Tools) => () => void): () => void {
  const { ctx, [RUNTIME]: runtime } = service as unknown as { ctx: Context; [RUNTIME]: CordisRuntime }
  return runtime.lifetimes.own(ctx, `ctx.tools.${label}`, () => register(runtime.at(ctx).tools))
}

/**
 * The plugin that gives `ctx.tools`: `await ctx.plugin(ToolsService)`. One for each root context. It also provides
 * `logger` and `clock` where nobody else does.
 *
 * @throws (rejects) Error beside a second one, TypeError for an option that is out of range, or other than the first service's here.
 */
export const ToolsService: { new (ctx: Context, options?: ToolsServiceOptions): Tools; readonly provide: 'tools' } = CordisTools as never
/** What `ctx.tools` is. */
export type ToolsService = Tools
