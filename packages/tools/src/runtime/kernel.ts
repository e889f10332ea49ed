import type { ToolExecutor } from '../contract/executor.ts'
import type { Clock } from '../contract/ports.ts'
import type { Scoped, ToolsService } from '../contract/service.ts'
import type { ScopeKey, ToolDiagnostic, ToolExecutionInput, ToolExecutionResult } from '../contract/tool.ts'
import { NativeExecutor } from '../executor/native.ts'
import type { PipelineCore, RuntimeLimits } from '../pipeline/core.ts'
import { type ExecutionOptions, Invocation } from '../pipeline/invocation.ts'
import type { PipelineAccess } from '../pipeline/pipeline.ts'
import { run } from '../pipeline/run.ts'
import { CallerSignals } from '../pipeline/signals.ts'
import { createLayer, type ToolLayer, type ToolScope } from '../registry/layer.ts'
import { Registry, type RegistryObserver } from '../registry/registry.ts'
import { listenersAt } from '../scope/listeners.ts'
import { ScopeTree } from '../scope/scope-tree.ts'
import { provideService } from '../scope/services.ts'
import { emit, type ListenerError, runWaterfall } from '../scope/waterfall.ts'
import type { RuntimeSettings } from './options.ts'

/** What all scopes of one runtime share: the tree, the registry, and the pipeline with its hooks. */
export class Kernel implements PipelineCore, PipelineAccess, RegistryObserver {
  readonly settings: RuntimeSettings
  readonly tree: ScopeTree<ToolLayer> = new ScopeTree(createLayer)
  readonly registry: Registry = new Registry(this)
  readonly callers: CallerSignals = new CallerSignals()
  /** What runs batches where nobody ever selected another executor. */
  readonly native: ToolExecutor
  /** Mounts that wait for services. */
  readonly serviceWatchers: Set<() => void> = new Set()
  readonly #facades = new WeakMap<ToolScope, Scoped<ToolsService>>()
  readonly #createFacade: (scope: ToolScope) => Scoped<ToolsService>

  constructor(settings: RuntimeSettings, createFacade: (kernel: Kernel, scope: ToolScope) => Scoped<ToolsService>) {
    this.settings = settings
    this.#createFacade = (scope) => createFacade(this, scope)
    this.native = new NativeExecutor({ tools: this.toolsOf(this.tree.root) }, settings.maxParallelToolCalls)
    provideService(this.tree.root, 'logger', settings.logger)
    provideService(this.tree.root, 'clock', settings.clock)
  }

  get clock(): Clock {
    return this.settings.clock
  }

  get limits(): RuntimeLimits {
    return this.settings.limits
  }

  execute(input: ToolExecutionInput, options: ExecutionOptions): Promise<ToolExecutionResult> {
    return run(new Invocation(this, input, options))
  }

  at(key: ScopeKey | undefined): Scoped<ToolsService> {
    return this.toolsOf(this.tree.at(key))
  }

  toolsOf(scope: ToolScope): Scoped<ToolsService> {
    let facade = this.#facades.get(scope)
    if (facade === undefined) {
      facade = this.#createFacade(scope)
      this.#facades.set(scope, facade)
    }
    return facade
  }

  async waterfall(key: ScopeKey | undefined, event: string, args: readonly unknown[]): Promise<unknown> {
    const last = args.at(-1)
    if (typeof last !== 'function') throw new TypeError('The last argument of a waterfall is the innermost next().')
    const scope = this.tree.at(key)
    return runWaterfall(listenersAt(scope).of(event), this.toolsOf(scope), args.slice(0, -1), () => last() as unknown)
  }

  report(diagnostic: ToolDiagnostic, scope: ToolScope): void {
    const told = Object.freeze({ ...diagnostic })
    this.settings.logger.warn(`dsh: ${told.kind}: ${told.message}`, told.detail)
    void emit(listenersAt(scope).of('tools/diagnostic'), undefined, [told], this.observerFailed)
  }

  readonly observerFailed = (error: ListenerError): void => this.failed(error)

  /** Something broke that nobody waits for. */
  readonly failed = (error: unknown): void => {
    this.settings.logger.error(`dsh: ${error instanceof Error ? error.message : String(error)}`, error)
  }

  changed(): void {
    void emit(listenersAt(this.tree.root).of('tools/change'), undefined, [], this.observerFailed)
  }

  ambiguous(tool: string, message: string, scope: ToolScope): void {
    this.report({ kind: 'ambiguous-schema', message, tool }, scope)
  }

  servicesChanged(): void {
    for (const changed of [...this.serviceWatchers]) changed()
  }
}
