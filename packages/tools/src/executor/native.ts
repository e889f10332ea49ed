import type { UserMessage } from '../contract/content.ts'
import type { ToolBatchInput, ToolBatchResult, ToolCallBlock, ToolCallResult, ToolExecutor, ToolModelInput } from '../contract/executor.ts'
import type { ToolsService } from '../contract/service.ts'
import type {
  ToolCallId,
  ToolDefinition,
  ToolExecutionInput,
  ToolExecutionMode,
  ToolExecutionResult,
  ToolFailure,
} from '../contract/tool.ts'
import { ToolBatchExecutionError } from '../outcome/batch-error.ts'
import type { CallTurns, ExecutionOptions } from '../pipeline/execution-options.ts'
import { ToolExecutionPipeline } from '../pipeline/pipeline.ts'
import { runInOrder, type SchedulableCall } from '../scheduler/schedule.ts'
import { freshCallId } from '../tool/call-id.ts'
import { modelInputOf } from './model-input.ts'
import { parseCall } from './parse.ts'
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
    const parts: BatchParts = { batch: input, tools: this.#tools, pipeline: this.#pipeline, log }
    const calls = input.calls.map((call) => new BatchCall(call, parts))
    try {
      await runInOrder(calls, input.maxParallelToolCalls ?? this.#maxParallel)
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

interface BatchParts {
  readonly batch: ToolBatchInput
  readonly tools: ToolsService
  readonly pipeline: ToolExecutionPipeline
  readonly log: BatchLog | undefined
}

/** One raw call of a batch: parsed when it is about to start, run through the pipeline, committed to the log. */
class BatchCall implements SchedulableCall, ExecutionOptions {
  readonly callId: ToolCallId
  readonly name: string
  readonly #text: string
  readonly #parts: BatchParts
  #input: ToolExecutionInput | undefined
  /** Where the call stands in the log. */
  #seq: number | undefined
  refusal: ToolFailure | undefined
  turns: CallTurns | undefined
  bodyStarted = false
  committed: ToolCallResult | undefined

  constructor(call: ToolCallBlock, parts: BatchParts) {
    this.name = call.name
    this.#text = call.arguments
    this.#parts = parts
    this.callId = call.callId || freshCallId()
  }

  begin(): Promise<void> | undefined {
    return this.#parts.log?.call(this.callId, { name: this.name, arguments: this.#text }).then((seq) => {
      this.#seq = seq
    })
  }

  classify(): ToolExecutionMode {
    const input = this.#parsed()
    return this.refusal ? { kind: 'exclusive' } : this.#parts.tools.executionMode(input)
  }

  run(turns: CallTurns): Promise<void> {
    this.turns = turns
    return this.#parts.pipeline.execute(this.#parsed(), this).then((result) => this.#commit(result))
  }

  onBodyStart(): void {
    this.bodyStarted = true
  }

  #commit(result: ToolExecutionResult): Promise<void> | undefined {
    const commit = () => {
      this.committed = Object.freeze({ callId: this.callId, result })
      this.#input = undefined // a long batch keeps results, and nothing of how they came about
      this.turns = undefined
    }
    if (this.#seq !== undefined) return this.#parts.log?.result(this.#seq, this.callId, result).then(commit)
    commit()
    return undefined
  }

  /** Parsed once, when it is about to start. */
  #parsed(): ToolExecutionInput {
    if (this.#input) return this.#input
    const { arguments: args, refusal } = parseCall({ name: this.name, arguments: this.#text })
    this.refusal = refusal
    const { agent, toolSet, signal } = this.#parts.batch
    const input: Writable<ToolExecutionInput> = { callId: this.callId, name: this.name, arguments: args, signal }
    if (agent) input.agent = agent // a spread of what may be absent costs more than the rest of this file
    if (toolSet) input.toolSet = toolSet
    this.#input = input
    return input
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }
