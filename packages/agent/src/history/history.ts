import type { ContentBlock, UserMessage } from '@dsh/tools'
import { failedWith } from '@dsh/tools/executor'
import type { AssistantBlock, CallResultMessage, RequestedCall } from '@dsh/tools/ports'
import { type CallLife, CallLives, closingOf } from '../log/call-life.ts'
import { isEvent, type SessionEvent } from '../log/event.ts'
import { PROCESS_ENDED } from '../log/repair.ts'

/** What the model reads of a call. */
export type HistoryResult = CallResultMessage & {
  /** The `seq` of its `tool/call`; absent when the process ended before the call was taken up. */
  readonly seq?: number
}

/** One message of the model's history: a `ModelMessage`, with what the log knows besides. */
export type HistoryMessage =
  | ({ readonly role: 'user' } & UserMessage)
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] }
  /** One result for each call of the assistant's message before it, in its order. */
  | { readonly role: 'tool'; readonly results: readonly HistoryResult[] }

/** A call of a step: as the model's answer has it, and as it went. One of them may be missing. */
interface StepCall {
  readonly requested: RequestedCall
  life: CallLife | undefined
}

interface Step {
  readonly turn: number
  readonly step: number
  /** What was said; calls stand in `calls`, in the same order. */
  readonly content: (AssistantBlock | StepCall)[]
  readonly calls: StepCall[]
  /** What was said to the agent while it was open. */
  readonly arrived: UserMessage[]
  messages: readonly HistoryMessage[] | undefined
}

/**
 * The model's history of a log that is read event by event. Every call has exactly one result, next to it, whatever happened: one that the log
 * has none for is answered as a repair of the log would. Contexts follow the results they came with; a message that arrived during a step follows it.
 * Call ids are made unique: a provider refuses a history in which one names two calls.
 */
export class History {
  readonly #parts: (UserMessage | Step)[] = []
  readonly #lives = new CallLives()
  readonly #stepOf = new Map<CallLife, Step>()
  /** How often each id was given. */
  readonly #ids = new Map<string, number>()
  #open: Step | undefined
  #messages: readonly HistoryMessage[] | undefined
  #taken = 0

  /** Take the events of a log that come after those taken before. */
  read(events: readonly SessionEvent[]): this {
    for (; this.#taken < events.length; this.#taken++) this.#take(events[this.#taken] as SessionEvent)
    return this
  }

  get messages(): readonly HistoryMessage[] {
    this.#messages ??= this.#parts.flatMap((part) => {
      if (!('calls' in part)) return { role: 'user', ...part }
      part.messages ??= messagesOf(part)
      return part.messages
    })
    return this.#messages
  }

  #take(event: SessionEvent): void {
    const life = this.#lives.take(event)
    if (isEvent(event, 'user/message')) this.#user(event.data)
    else if (isEvent(event, 'step/start')) this.#at(event.data)
    else if (isEvent(event, 'assistant/message')) this.#said(this.#at(event.data), event.data.content)
    else if (isEvent(event, 'tool/call')) this.#called(this.#at(event.data), life as CallLife)
    else if (life) this.#changed(this.#stepOf.get(life) as Step)
  }

  #user(message: UserMessage): void {
    if (this.#open) {
      this.#open.arrived.push(message)
      this.#changed(this.#open)
      return
    }
    this.#parts.push(message)
    this.#messages = undefined
  }

  #said(step: Step, content: readonly AssistantBlock[]): void {
    for (const block of content) {
      if (block.type !== 'tool-call') step.content.push(block)
      else this.#add(step, { ...block, callId: this.#unique(block.callId) })
    }
    this.#changed(step)
  }

  #called(step: Step, life: CallLife): void {
    const { callId, name, arguments: text } = life.call.data
    const waiting = step.calls.find((call) => call.life === undefined)
    const call = waiting ?? this.#add(step, { type: 'tool-call', callId: this.#unique(callId), name, arguments: text ?? '' })
    call.life = life
    this.#stepOf.set(life, step)
    this.#changed(step)
  }

  #add(step: Step, requested: RequestedCall): StepCall {
    const call: StepCall = { requested, life: undefined }
    step.content.push(call)
    step.calls.push(call)
    return call
  }

  #at({ turn, step }: { readonly turn: number; readonly step: number }): Step {
    if (this.#open?.turn === turn && this.#open.step === step) return this.#open
    this.#open = { turn, step, content: [], calls: [], arrived: [], messages: undefined }
    this.#parts.push(this.#open)
    return this.#open
  }

  #changed(step: Step): void {
    step.messages = undefined
    this.#messages = undefined
  }

  #unique(callId: string): string {
    const times = (this.#ids.get(callId) ?? 0) + 1
    this.#ids.set(callId, times)
    return times === 1 ? callId : this.#unique(`${callId}_${times}`)
  }
}

function messagesOf({ content, calls, arrived }: Step): readonly HistoryMessage[] {
  const messages: HistoryMessage[] = []
  if (content.length > 0)
    messages.push({ role: 'assistant', content: content.map((block) => ('requested' in block ? block.requested : block)) })
  if (calls.length > 0) messages.push({ role: 'tool', results: calls.map(toResult) })
  for (const { life } of calls) for (const context of life?.result?.data.contexts ?? []) messages.push({ role: 'user', ...context })
  for (const message of arrived) messages.push({ role: 'user', ...message })
  return messages
}

function toResult({ requested: { callId, name }, life }: StepCall): HistoryResult {
  const { isError, content } = outcomeOf(name, life)
  return life === undefined ? { callId, name, isError, content } : { seq: life.call.seq, callId, name, isError, content }
}

function outcomeOf(name: string, life: CallLife | undefined): { readonly isError: boolean; readonly content: readonly ContentBlock[] } {
  if (life === undefined) return failedWith('TOOL_NOT_STARTED', name, PROCESS_ENDED)
  return life.result?.data ?? closingOf(life, PROCESS_ENDED)
}
