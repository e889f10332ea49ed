import type { ContentBlock, UserMessage } from '@dsh/tools'
import { type CallLife, callLives, closingOf } from '../log/call-life.ts'
import { isEvent, type SessionEvent } from '../log/event.ts'
import { PROCESS_ENDED } from '../log/repair.ts'

/** A call as the model made it. */
export interface HistoryCall {
  /** The `seq` of its `tool/call`: call ids may repeat. */
  readonly seq: number
  readonly callId: string
  readonly name: string
  /** The text the model produced. */
  readonly arguments: string
}

/** What the model reads of a call. */
export interface HistoryResult {
  readonly seq: number
  readonly callId: string
  readonly name: string
  readonly isError: boolean
  readonly content: readonly ContentBlock[]
}

/** One message of the model's history. */
export type HistoryMessage =
  | ({ readonly role: 'user' } & UserMessage)
  | { readonly role: 'assistant'; readonly content: readonly ContentBlock[]; readonly calls: readonly HistoryCall[] }
  /** One result for each call of the assistant's message before it, in its order. */
  | { readonly role: 'tool'; readonly results: readonly HistoryResult[] }

/**
 * The model's history, from the log alone. Every call has exactly one result, next to it, whatever happened: one that the log has none for is
 * answered as a repair of the log would. Contexts follow the results they came with; a message that arrived during a step follows it.
 */
export function deriveMessages(events: Iterable<SessionEvent>): HistoryMessage[] {
  const all = Array.isArray(events) ? (events as readonly SessionEvent[]) : [...events]
  const lives = callLives(all)
  const history = new History()
  for (const event of all) {
    if (isEvent(event, 'user/message')) history.user(event.data)
    else if (isEvent(event, 'assistant/message')) history.assistant(event.data, event.data.content)
    else if (isEvent(event, 'tool/call')) history.call(event.data, lives.get(event.seq) as CallLife)
  }
  return history.end()
}

interface Step {
  readonly turn: number
  readonly step: number
  content: readonly ContentBlock[]
  readonly calls: CallLife[]
  /** What arrived while it was open. */
  readonly arrived: UserMessage[]
}

class History {
  readonly #messages: HistoryMessage[] = []
  #step: Step | undefined

  user(message: UserMessage): void {
    if (this.#step) this.#step.arrived.push(message)
    else this.#messages.push({ role: 'user', ...message })
  }

  assistant(at: { readonly turn: number; readonly step: number }, content: readonly ContentBlock[]): void {
    const step = this.#at(at)
    step.content = step.content.length === 0 ? content : [...step.content, ...content]
  }

  call(at: { readonly turn: number; readonly step: number }, life: CallLife): void {
    this.#at(at).calls.push(life)
  }

  end(): HistoryMessage[] {
    this.#close()
    return this.#messages
  }

  #at({ turn, step }: { readonly turn: number; readonly step: number }): Step {
    if (this.#step?.turn === turn && this.#step.step === step) return this.#step
    this.#close()
    this.#step = { turn, step, content: [], calls: [], arrived: [] }
    return this.#step
  }

  #close(): void {
    if (this.#step === undefined) return
    const { content, calls, arrived } = this.#step
    this.#step = undefined
    this.#messages.push({ role: 'assistant', content, calls: calls.map(toCall) })
    if (calls.length > 0) this.#messages.push({ role: 'tool', results: calls.map(toResult) })
    for (const { result } of calls) for (const context of result?.data.contexts ?? []) this.#messages.push({ role: 'user', ...context })
    for (const message of arrived) this.#messages.push({ role: 'user', ...message })
  }
}

function toCall({ call: { seq, data } }: CallLife): HistoryCall {
  return { seq, callId: data.callId, name: data.name, arguments: data.arguments ?? '' }
}

function toResult(life: CallLife): HistoryResult {
  const { seq, data } = life.call
  const { isError, content } = life.result?.data ?? closingOf(life, PROCESS_ENDED)
  return { seq, callId: data.callId, name: data.name, isError, content }
}
