import type { ToolBatchInput, ToolCallBlock, ToolCallResult } from '../contract/executor.ts'
import type { ToolsService } from '../contract/service.ts'
import type {
  ToolCallId,
  ToolExecution,
  ToolExecutionInput,
  ToolExecutionMode,
  ToolExecutionResult,
  ToolFailure,
} from '../contract/tool.ts'
import type { CallTurns, ExecutionOptions } from '../pipeline/execution-options.ts'
import type { ToolExecutionPipeline } from '../pipeline/pipeline.ts'
import type { SchedulableCall } from '../scheduler/schedule.ts'
import { freshCallId } from '../tool/call-id.ts'
import type { CallRecord } from './call-record.ts'
import { parseCall } from './parse.ts'

/** What the calls of one batch share. */
export interface BatchParts {
  readonly batch: ToolBatchInput
  readonly tools: ToolsService
  readonly pipeline: ToolExecutionPipeline
}

/** One raw call of a batch: parsed when it is about to start, run through the pipeline, committed, in a log if there is one. */
export class BatchCall implements SchedulableCall, ExecutionOptions {
  readonly callId: ToolCallId
  readonly name: string
  readonly #text: string
  readonly #parts: BatchParts
  readonly #record: CallRecord | undefined
  #input: Writable<ToolExecutionInput> | undefined
  refusal: ToolFailure | undefined
  turns: CallTurns | undefined
  bodyStarted = false
  committed: ToolCallResult | undefined

  constructor(call: ToolCallBlock, parts: BatchParts, record: CallRecord | undefined) {
    this.name = call.name
    this.#text = call.arguments
    this.#parts = parts
    this.#record = record
    this.callId = call.callId || freshCallId()
  }

  begin(): Promise<void> | undefined {
    if (this.#record === undefined) return undefined
    const { tools, batch } = this.#parts
    const input = this.#parsed()
    const definition = tools.get(this.name, batch.agent, batch.toolSet)
    return this.#record.call({ input, text: this.#text, definition, refused: this.refusal !== undefined }).then((identity) => {
      Object.assign(input, identity)
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

  beforeBody(exec: Readonly<ToolExecution>, attempt: number): Promise<ToolFailure | undefined> | undefined {
    return this.#record?.start(exec, attempt)
  }

  onBodyStart(): void {
    this.bodyStarted = true
  }

  /** @throws what the log broke with, when the call could not go on because of it. */
  #commit(result: ToolExecutionResult): void {
    const commit = () => {
      this.committed = Object.freeze({ callId: this.callId, result })
    }
    if (this.#record) this.#record.result(this.#parsed(), result, commit)
    else commit()
    this.#input = undefined // a long batch keeps results, and nothing of how they came about
    this.turns = undefined
  }

  /** Parsed once, when it is about to start. */
  #parsed(): Writable<ToolExecutionInput> {
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
