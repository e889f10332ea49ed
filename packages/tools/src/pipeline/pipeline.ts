import type { Scoped, ToolsService } from '../contract/service.ts'
import type { ScopeKey, ToolExecutionInput, ToolExecutionResult } from '../contract/tool.ts'
import type { ExecutionOptions } from './execution-options.ts'

/** Found under a registered symbol, so that an executor works with a runtime made by another installed copy of the package. */
export const PIPELINE: unique symbol = Symbol.for('@dsh/tools/pipeline') as never

/** What a `tools` service gives to executors beside its public methods. */
export interface PipelineAccess {
  execute(input: ToolExecutionInput, options: ExecutionOptions): Promise<ToolExecutionResult>
  at(key: ScopeKey | undefined): Scoped<ToolsService>
  waterfall(key: ScopeKey | undefined, event: string, args: readonly unknown[]): Promise<unknown>
}

/** The pipeline behind a `tools` service. @throws TypeError when it is not one of ours. */
export function pipelineOf(tools: ToolsService): PipelineAccess {
  const access = (tools as { readonly [PIPELINE]?: PipelineAccess } | undefined)?.[PIPELINE]
  if (access === undefined) throw new TypeError('This is not the tools service of a dsh runtime, so it has no pipeline.')
  return access
}

/**
 * The shared pipeline, for those who write an executor: parsed calls in, one outcome each, every policy applied.
 *
 * @example
 * const pipeline = new ToolExecutionPipeline(host)
 * const result = await pipeline.execute({ callId, name, arguments: args, signal })
 */
export class ToolExecutionPipeline {
  readonly #access: PipelineAccess

  /** @param host - the host whose `tools` the calls are for. */
  constructor(host: { readonly tools: ToolsService }) {
    this.#access = pipelineOf(host.tools)
  }

  /**
   * Run one call. Never rejects for what the call does; settles after its body has.
   * @param options - a definition that is not registered (`run_code`), a refusal before policy, or the order in a batch.
   * @throws JsonSchemaError when `options.definition` is not a sound definition.
   */
  execute(input: ToolExecutionInput, options: ExecutionOptions = {}): Promise<ToolExecutionResult> {
    return this.#access.execute(input, options)
  }

  /** The `tools` of the scope a key names: what {@link waterfall} dispatches for. */
  scopeOf(key: ScopeKey | undefined): Scoped<ToolsService> {
    return this.#access.at(key)
  }
}

/**
 * Dispatch a waterfall of your own, scope-filtered: the listeners of `scope` and of the scopes above it, the last of `args`
 * being the innermost `next`. Rejects when a listener breaks.
 */
export async function waterfall<T>(scope: Scoped<ToolsService>, event: string, ...args: [...unknown[], () => T | Promise<T>]): Promise<T> {
  return (await pipelineOf(scope).waterfall(scope.scope, event, args)) as T
}
