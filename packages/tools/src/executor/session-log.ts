import type { LoggedCall, ToolBatchInput, ToolBatchLog } from '../contract/executor.ts'
import type { JsonValue } from '../contract/json.ts'
import type { SessionSink } from '../contract/session.ts'
import type { ToolCallEvent, ToolResultEvent, ToolStartEvent } from '../contract/session-events.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { digestOf } from '../tool/digest.ts'

/** The root events of one batch in its agent's session. Calls and results are correlated by `seq`, never by call id. */
export class BatchLog {
  readonly #sink: SessionSink
  readonly #log: ToolBatchLog
  readonly #written: Promise<void>[] = []
  #broken: { readonly error: unknown } | undefined

  private constructor(sink: SessionSink, log: ToolBatchLog) {
    this.#sink = sink
    this.#log = { ...log }
  }

  /** The log of a batch, or undefined when it asks for none. @throws TypeError when it asks and there is nowhere to log. */
  static of(input: ToolBatchInput): BatchLog | undefined {
    const sink = assertLoggable(input)
    return sink && input.log && new BatchLog(sink, input.log)
  }

  /** What the log knows of the call at a position of the batch, when the process it was made in is gone. */
  resumed(index: number): LoggedCall | undefined {
    return this.#log.resumed?.[index]
  }

  /** Record a call, before its policy. @returns its sequence number. @throws what the log broke with. */
  async call(call: Omit<ToolCallEvent, 'turn' | 'step'>): Promise<number> {
    const { turn, step } = this.#log
    const { seq } = await this.#append('tool/call', { turn, step, ...call })
    if (typeof seq !== 'number') throw new TypeError('The session gave no sequence number for a call, so its result could not be logged.')
    return seq
  }

  /** Record that a body is about to begin. One with effects waits until that survives a crash. */
  async start(call: number, attempt: number, definition: ToolDefinition): Promise<void> {
    const { effects = 'unknown' } = definition
    const event: ToolStartEvent = { call, attempt, effects, definition: await digestOf(definition) }
    await this.#append('tool/start', event, effects !== 'none')
  }

  /** Record the result of a call, and go on: {@link written} waits for it. @param kept - told when it survives a crash. */
  result(result: ToolResultEvent, kept: () => void): void {
    const keep = () => {
      if (!this.#broken) kept() // what comes after a gap is not kept: nobody could tell what belongs to what
    }
    const broke = (error: unknown) => {
      this.#broken ??= { error }
    }
    this.#written.push(this.#append('tool/result', result, true).then(keep, broke))
  }

  /** Wait until every result survives a crash. @throws what the log broke with. */
  async written(): Promise<void> {
    await Promise.all(this.#written)
    if (this.#broken) throw this.#broken.error
  }

  /** The same for every attempt at a call, and for no other call; undefined when the session gives none. */
  keyOf(seq: number): string | undefined {
    return this.#sink.keyOf?.(seq)
  }

  async #append(type: string, data: ToolCallEvent | ToolStartEvent | ToolResultEvent, durable = false): Promise<{ readonly seq: number }> {
    if (this.#broken) throw this.#broken.error
    return this.#sink.append({ type, data: snapshotJson(data) as JsonValue }, { durable })
  }
}

/** Where a batch that asks for a log is logged to; undefined when it asks for none. @throws TypeError when it asks and there is nowhere. */
export function assertLoggable({ log, agent }: ToolBatchInput): SessionSink | undefined {
  if (log === undefined) return undefined
  if (agent === undefined) throw new TypeError('A batch with log needs the agent whose session it is logged to.')
  if (agent.session === undefined) throw new TypeError(`The agent ${agent.id} keeps no session to log the batch to.`)
  return agent.session
}
