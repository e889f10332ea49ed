import type { ToolBatchInput, ToolCallBlock } from '../contract/executor.ts'
import type { JsonValue } from '../contract/json.ts'
import type { SessionSink } from '../contract/session.ts'
import type { ToolCallId, ToolExecutionResult } from '../contract/tool.ts'
import { snapshotJson } from '../json/snapshot.ts'

/** The root events of one batch in its agent's session. Calls and results are correlated by `seq`, never by call id. */
export class BatchLog {
  readonly #sink: SessionSink
  readonly #step: { readonly turn: number; readonly step: number }

  private constructor(sink: SessionSink, step: { readonly turn: number; readonly step: number }) {
    this.#sink = sink
    this.#step = { turn: step.turn, step: step.step }
  }

  /** The log of a batch, or undefined when it asks for none. @throws TypeError when it asks and there is nowhere to log. */
  static of(input: ToolBatchInput): BatchLog | undefined {
    const sink = assertLoggable(input)
    return sink && input.log && new BatchLog(sink, input.log)
  }

  /** Record a call, before its policy. @returns its sequence number. */
  async call(callId: ToolCallId, call: Pick<ToolCallBlock, 'name' | 'arguments'>): Promise<number> {
    const text = typeof call.arguments === 'string' ? call.arguments : null // refused when it is parsed, and logged all the same
    const { seq } = await this.#append('tool/call', { ...this.#step, callId, name: call.name, arguments: text })
    if (typeof seq !== 'number') throw new TypeError('The session gave no sequence number for a call, so its result could not be logged.')
    return seq
  }

  /** Record the result of a call. The canonical value stays out. */
  async result(callSeq: number, callId: ToolCallId, result: ToolExecutionResult): Promise<void> {
    const { isError, content, error, meta } = result
    const kept = { call: callSeq, callId, isError, content, ...(error && { error }), ...(meta !== undefined && { meta }) }
    await this.#append('tool/result', kept)
  }

  #append(type: string, data: unknown): Promise<{ readonly seq: number }> {
    return this.#sink.append({ type, data: snapshotJson(data) as JsonValue })
  }
}

/** Where a batch that asks for a log is logged to; undefined when it asks for none. @throws TypeError when it asks and there is nowhere. */
export function assertLoggable({ log, agent }: ToolBatchInput): SessionSink | undefined {
  if (log === undefined) return undefined
  if (agent === undefined) throw new TypeError('A batch with log needs the agent whose session it is logged to.')
  if (agent.session === undefined) throw new TypeError(`The agent ${agent.id} keeps no session to log the batch to.`)
  return agent.session
}
