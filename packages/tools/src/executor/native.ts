import type { ToolBatchInput, ToolBatchResult, ToolCallBlock, ToolCallResult, ToolExecutor, ToolModelInput } from '../contract/executor.ts'
import type { ToolsService } from '../contract/service.ts'
import type { ToolCallId, ToolDefinition, ToolExecutionMode } from '../contract/tool.ts'
import { ToolBatchExecutionError } from '../outcome/batch-error.ts'
import type { CallTurns } from '../pipeline/execution-options.ts'
import { ToolExecutionPipeline } from '../pipeline/pipeline.ts'
import { runInOrder, type SchedulableCall } from '../scheduler/schedule.ts'
import { freshCallId } from '../tool/call-id.ts'
import { modelInputOf } from './model-input.ts'
import { type ParsedCall, parseCall } from './parse.ts'
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
    const parts = { input, tools: this.#tools, pipeline: this.#pipeline, log }
    const calls = input.calls.map((call) => new BatchCall(call, parts))
    try {
      await runInOrder(calls, input.maxParallelToolCalls ?? this.#maxParallel)
    } catch (cause) {
      throw brokenBatch(calls, cause)
    }
    const results = calls.flatMap((call) => call.committed ?? [])
    return { results, additionalContexts: contextsOf(results), concluded: results.some(({ result }) => result.concludesTurn === true) }
  }
}

function contextsOf(results: readonly ToolCallResult[]) {
  return results.flatMap(({ result }) => result.additionalContexts ?? [])
}

function brokenBatch(calls: readonly BatchCall[], cause: unknown): ToolBatchExecutionError {
  const results = calls.flatMap((call) => call.committed ?? [])
  const missing = calls.flatMap(({ committed, callId, name, bodyStarted }, index) =>
    committed ? [] : [{ index, callId, name, bodyStarted }],
  )
  return new ToolBatchExecutionError({ results, missing, additionalContexts: contextsOf(results), cause })
}

interface BatchParts {
  readonly input: ToolBatchInput
  readonly tools: ToolsService
  readonly pipeline: ToolExecutionPipeline
  readonly log: BatchLog | undefined
}

/** One raw call of a batch: parsed when it is about to start, run through the pipeline, committed to the log. */
class BatchCall implements SchedulableCall {
  readonly callId: ToolCallId
  readonly #call: ToolCallBlock
  readonly #parts: BatchParts
  #parsed: ParsedCall | undefined
  /** Where the call stands in the log. */
  #seq: number | undefined
  bodyStarted = false
  committed: ToolCallResult | undefined

  constructor(call: ToolCallBlock, parts: BatchParts) {
    this.#call = call
    this.#parts = parts
    this.callId = call.callId || freshCallId()
  }

  get name(): string {
    return this.#call.name
  }

  begin(): Promise<void> | undefined {
    return this.#parts.log?.call(this.callId, this.#call).then((seq) => {
      this.#seq = seq
    })
  }

  classify(): ToolExecutionMode {
    const parsed = this.#parse()
    const { agent, toolSet } = this.#parts.input
    if (parsed.refusal) return { kind: 'exclusive' }
    return this.#parts.tools.executionMode({
      name: this.name,
      arguments: parsed.arguments,
      ...(agent && { agent }),
      ...(toolSet && { toolSet }),
    })
  }

  async run(turns: CallTurns): Promise<void> {
    const { input, pipeline, log } = this.#parts
    const { agent, toolSet, signal } = input
    const parsed = this.#parse()
    const result = await pipeline.execute(
      { callId: this.callId, name: this.name, arguments: parsed.arguments, signal, ...(agent && { agent }), ...(toolSet && { toolSet }) },
      {
        turns,
        ...(parsed.refusal && { refusal: parsed.refusal }),
        onBodyStart: () => {
          this.bodyStarted = true
        },
      },
    )
    if (this.#seq !== undefined) await log?.result(this.#seq, this.callId, result)
    this.committed = Object.freeze({ callId: this.callId, result })
  }

  /** Parsed once, when it is about to start. */
  #parse(): ParsedCall {
    this.#parsed ??= parseCall(this.#call)
    return this.#parsed
  }
}
