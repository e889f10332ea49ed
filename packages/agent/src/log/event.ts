/**
 * `@dsh/agent/events`: the events of a session log, a map that is merged by declaration. A plugin adds its own with
 * `declare module '@dsh/agent/events' { interface SessionEventMap { 'todo/write': { readonly items: string[] } } }`.
 */
import type { ContentBlock, JsonValue, UserMessage } from '@dsh/tools'
import type { ToolCallEvent, ToolResultEvent, ToolStartEvent } from '@dsh/tools/executor'

/** Version of the envelope this package writes, and the only one it reads. */
export const EVENT_VERSION = 1

/**
 * `session/start`: a process begins to make calls. It is written before the first of them, each time a session is opened, so that a call whose
 * event was lost in a crash, and the one that gets its number after, do not share a key.
 */
export type SessionStartEvent = {
  /** Random, unique everywhere: what the idempotency keys of the calls that follow are derived from. */
  readonly key: string
}

/** What a model said in one step, beside its tool calls. */
export type AssistantMessageEvent = {
  readonly turn: number
  readonly step: number
  readonly content: readonly ContentBlock[]
}

/** `approval/asked`: a person is asked about a call. */
export type ApprovalAskedEvent = {
  /** The `seq` of its `tool/call`. */
  readonly call: number
  readonly reason?: string
  readonly displayReason?: Readonly<Record<string, string>>
}

/** `approval/decided`: what the person, or whoever decides in their place, said. */
export type ApprovalDecidedEvent = {
  /** The `seq` of its `tool/call`. */
  readonly call: number
  readonly outcome: 'allowed-once' | 'rejected' | 'cancelled' | 'unavailable'
  readonly note?: string
  readonly expired?: boolean
  /** Written when the session was opened after a crash: nobody had decided. */
  readonly repaired?: true
}

/** The result of a call; `repaired` when it was written for a call that the process never finished. */
export type LoggedResultEvent = ToolResultEvent & { readonly repaired?: true }

/**
 * What each type of event holds. The life of a call: `tool/call`, then `approval/asked` and `approval/decided` when
 * somebody was asked, `tool/start` for each attempt at its body, and exactly one `tool/result`.
 */
export interface SessionEventMap {
  'session/start': SessionStartEvent
  'user/message': UserMessage
  'assistant/message': AssistantMessageEvent
  'tool/call': ToolCallEvent
  'approval/asked': ApprovalAskedEvent
  'approval/decided': ApprovalDecidedEvent
  'tool/start': ToolStartEvent
  'tool/result': LoggedResultEvent
}

/** What is around the data of every event. */
interface Envelope {
  readonly v: typeof EVENT_VERSION
  /** Id of the session. */
  readonly session: string
  /** From 1 on, without gaps. */
  readonly seq: number
  /** Milliseconds since the epoch; never less than that of the event before. */
  readonly time: number
}

/** One event of a known type. */
export type SessionEventOf<K extends keyof SessionEventMap> = Envelope & { readonly type: K; readonly data: SessionEventMap[K] }

/** One event as it lies in a log: of any type, that of a plugin which is not loaded included. Narrow it with {@link isEvent}. */
export interface SessionEvent extends Envelope {
  readonly type: string
  readonly data: JsonValue
}

/** Whether an event is of a type: narrows its data. What a log holds was checked when it was written. */
export function isEvent<K extends keyof SessionEventMap>(event: SessionEvent, type: K): event is SessionEvent & SessionEventOf<K> {
  return event.type === type
}
