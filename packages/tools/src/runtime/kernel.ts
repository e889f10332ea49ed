import type { Scoped, ToolsService } from '../contract/service.ts'
import type { ScopeKey, ToolExecutionInput, ToolExecutionResult } from '../contract/tool.ts'
import type { PipelineCore } from '../pipeline/core.ts'
import type { ExecutionOptions } from '../pipeline/execution-options.ts'
import { Invocation } from '../pipeline/invocation.ts'
import type { PipelineAccess } from '../pipeline/pipeline.ts'
import { run } from '../pipeline/run.ts'
import { listenersAt } from '../scope/listeners.ts'
import { runWaterfall } from '../scope/waterfall.ts'

/** The pipeline of one runtime, as executors reach it. */
export class Kernel implements PipelineAccess {
  readonly #core: PipelineCore

  constructor(core: PipelineCore) {
    this.#core = core
  }

  execute(input: ToolExecutionInput, options: ExecutionOptions): Promise<ToolExecutionResult> {
    return run(new Invocation(this.#core, input, options))
  }

  at(key: ScopeKey | undefined): Scoped<ToolsService> {
    return this.#core.toolsOf(this.#core.tree.at(key))
  }

  async waterfall(key: ScopeKey | undefined, event: string, args: readonly unknown[]): Promise<unknown> {
    const last = args.at(-1)
    if (typeof last !== 'function') throw new TypeError('The last argument of a waterfall is the innermost next().')
    const scope = this.#core.tree.at(key)
    return runWaterfall(listenersAt(scope).of(event), this.#core.toolsOf(scope), args.slice(0, -1), () => last() as unknown)
  }
}
