/**
 * `@dsh/agent/events`: the events of a session log, a map that is merged by declaration. A plugin adds its own with
 * `declare module '@dsh/agent/events' { interface SessionEventMap { 'todo/write': { readonly items: string[] } } }`.
 */
import type { JsonValue, ModelSelection, UserMessage } from '@dsh/tools'
import type { ToolCallEvent, ToolResultEvent, ToolStartEvent } from '@dsh/tools/executor'
import type { AssistantBlock, ModelFinishReason, ModelUsage } from '@dsh/tools/ports'

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

/** `turn/start`: an agent begins to work on the input that follows. */
export type TurnStartEvent = {
  readonly turn: number
}

/** `step/start`: a model is asked. It has seen what lies before this event, and nothing after it. */
export type StepStartEvent = {
  readonly turn: number
  readonly step: number
  readonly model?: ModelSelection
}

/** What a model said in one step, its tool calls included. */
export type AssistantMessageEvent = {
  readonly turn: number
  readonly step: number
  readonly content: readonly AssistantBlock[]
  readonly usage?: ModelUsage
  /** Why it ended; absent when it broke off. */
  readonly finish?: ModelFinishReason
  /** The answer broke off, or was cut: this is what came of it. None of its calls was run, and none is in `content`. */
  readonly broken?: LoggedError
}

/** What went wrong: a code, and the words for a person. */
export type LoggedError = {
  readonly code: string
  readonly message: string
}

/** How a turn came to its end. */
export type TurnOutcome =
  /** The model answered, and made no calls. */
  | 'answered'
  /** A tool ended it. */
  | 'concluded'
  /** It took as many steps as it may. */
  | 'max-steps'
  | 'cancelled'
  /** The model could not be asked, or the machinery broke. */
  | 'failed'
  /** The process ended first, and the turn was not taken up again. */
  | 'abandoned'

/** `turn/end`: the agent is idle again. */
export type TurnEndEvent = {
  readonly turn: number
  readonly outcome: TurnOutcome
  readonly steps: number
  /** The sum over its steps. */
  readonly usage?: ModelUsage
  readonly error?: LoggedError
}

/** `agent/start`: a child agent was made, under this turn. */
export type AgentStartEvent = {
  readonly turn: number
  readonly agent: string
  /** Its own log, in the same store. */
  readonly session: string
}

/** `agent/end`: the child's turn ended. */
export type AgentEndEvent = {
  readonly turn: number
  readonly agent: string
  readonly session: string
  readonly outcome: TurnOutcome
}

/** `agent/parent`: the first event of a child's log: whose turn it belongs to. */
export type AgentParentEvent = {
  readonly session: string
  readonly turn: number
  /** Ids of the agents from the first one down to this one. */
  readonly path: readonly string[]
}

/** `approval/asked`: a person is asked about a call. */
export type ApprovalAskedEvent = {
  /** The `seq` of its `tool/call`. */
  readonly call: number
  /** Names the request. Absent in logs of a service that gives it none. */
  readonly id?: string
  /** Of tool, definition and arguments: what a decision is bound to. */
  readonly digest?: string
  /** `digestOf` the definition that would run. */
  readonly definition?: string
  readonly argumentsHash?: string
  readonly reason?: string
  readonly displayReason?: Readonly<Record<string, string>>
  /** Ids of the agents from the first one down to the one whose call it is. */
  readonly path?: readonly string[]
  /** When it is denied if nobody has decided, milliseconds since the epoch. */
  readonly expiresAt?: number
}

/** `approval/decided`: what the person, or whoever decides in their place, said. */
export type ApprovalDecidedEvent = {
  /** The `seq` of its `tool/call`. */
  readonly call: number
  /** The request that it decides. */
  readonly id?: string
  readonly outcome: 'allowed-once' | 'rejected' | 'cancelled' | 'unavailable'
  readonly note?: string
  readonly expired?: boolean
  /** Who decided. */
  readonly by?: string
  /** Written when the session was opened after a crash: nobody had decided. */
  readonly repaired?: true
}

/** `approval/granted`: the calls of a tool that a rule asks about are allowed in this session, and in those of child agents. */
export type ApprovalGrantedEvent = {
  /** The `seq` of the `tool/call` that it was granted with. */
  readonly call: number
  readonly tool: string
  /** Digest of the rule: a changed rule asks again. */
  readonly rule: string
  readonly by: string
}

/** The result of a call; `repaired` when it was written for a call that the process never finished. */
export type LoggedResultEvent = ToolResultEvent & { readonly repaired?: true }

/**
 * What each type of event holds. A turn: `turn/start`, what was said to the agent, then for each step `step/start`, `assistant/message` and its
 * calls, and `turn/end`. The life of a call: `tool/call`, then `approval/asked` and `approval/decided` when
 * somebody was asked, `tool/start` for each attempt at its body, and exactly one `tool/result`.
 */
export interface SessionEventMap {
  'session/start': SessionStartEvent
  'agent/parent': AgentParentEvent
  'turn/start': TurnStartEvent
  'user/message': UserMessage
  'step/start': StepStartEvent
  'assistant/message': AssistantMessageEvent
  'tool/call': ToolCallEvent
  'approval/asked': ApprovalAskedEvent
  'approval/decided': ApprovalDecidedEvent
  'approval/granted': ApprovalGrantedEvent
  'tool/start': ToolStartEvent
  'tool/result': LoggedResultEvent
  'agent/start': AgentStartEvent
  'agent/end': AgentEndEvent
  'turn/end': TurnEndEvent
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
