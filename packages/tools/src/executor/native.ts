import type { UserMessage } from '../contract/content.ts'
import type { ToolBatchInput, ToolBatchResult, ToolCallResult, ToolExecutor, ToolModelInput } from '../contract/executor.ts'
import type { ToolsService } from '../contract/service.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import { ToolBatchExecutionError } from '../outcome/batch-error.ts'
import { ToolExecutionPipeline } from '../pipeline/pipeline.ts'
import { runInOrder } from '../scheduler/schedule.ts'
import { BatchCall, type BatchParts } from './batch-call.ts'
import { CallRecord } from './call-record.ts'
import { modelInputOf } from './model-input.ts'
import { BatchLog } from './session-log.ts'

/** The default executor: every visible tool is a function the model calls directly. */
export class NativeExecutor implements ToolExecutor {
  readonly #tools: ToolsService
  readonly #pipeline: ToolExecutionPipeline
  readonly #maxParallel: number

  constructor(host: { readonly tools: ToolsService }, maxParallelToolCalls: number) {
    this.#tools = host.tools
    this.#pipeline = new ToolExecutionPipeline(host)
    this.#maxParallel = maxParallelToolCalls
  }

  describe(tools: readonly ToolDefinition[]): ToolModelInput {
    return modelInputOf(tools)
  }

  async execute(input: ToolBatchInput): Promise<ToolBatchResult> {
    const log = BatchLog.of(input)
    const parts: BatchParts = { batch: input, tools: this.#tools, pipeline: this.#pipeline }
    const calls = input.calls.map((call, index) => new BatchCall(call, parts, log && new CallRecord(log, index)))
    try {
      await runInOrder(calls, input.maxParallelToolCalls ?? this.#maxParallel).finally(() => log?.written())
    } catch (cause) {
      throw brokenBatch(calls, cause)
    }
    const results = committedOf(calls)
    return { results, additionalContexts: contextsOf(results), concluded: results.some(({ result }) => result.concludesTurn === true) }
  }
}

function committedOf(calls: readonly BatchCall[]): ToolCallResult[] {
  const results: ToolCallResult[] = []
  for (const { committed } of calls) if (committed) results.push(committed)
  return results
}

function contextsOf(results: readonly ToolCallResult[]): UserMessage[] {
  const contexts: UserMessage[] = []
  for (const { result } of results) for (const context of result.additionalContexts ?? []) contexts.push(context)
  return contexts
}

function brokenBatch(calls: readonly BatchCall[], cause: unknown): ToolBatchExecutionError {
  const results = committedOf(calls)
  const missing = calls.flatMap(({ committed, callId, name, bodyStarted }, index) =>
    committed ? [] : [{ index, callId, name, bodyStarted }],
  )
  return new ToolBatchExecutionError({ results, missing, additionalContexts: contextsOf(results), cause })
}
