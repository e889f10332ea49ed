import type { ToolExecutionFailure } from '@dsh/tools'
import { beforeRepeating, failedWith, type ToolCallEvent, type ToolStartEvent } from '@dsh/tools/executor'
import { type ApprovalAskedEvent, type ApprovalDecidedEvent, isEvent, type LoggedResultEvent, type SessionEvent } from './event.ts'

/** Something that happened to a call, with its place and time. */
export interface Logged<T> {
  readonly seq: number
  readonly time: number
  readonly data: T
}

/** Everything a log holds about one call. */
export interface CallLife {
  readonly call: Logged<ToolCallEvent>
  readonly asked: readonly Logged<ApprovalAskedEvent>[]
  readonly decided: readonly Logged<ApprovalDecidedEvent>[]
  /** One for each attempt at the body. */
  readonly starts: readonly Logged<ToolStartEvent>[]
  readonly result?: Logged<LoggedResultEvent>
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer I)[] ? I[] : T[K] }

/** The calls of a log, by the `seq` of their `tool/call`, in its order. What names a call that is not there belongs to none. */
export function callLives(events: Iterable<SessionEvent>): Map<number, CallLife> {
  const lives = new Map<number, Mutable<CallLife>>()
  for (const event of events) {
    if (isEvent(event, 'tool/call')) lives.set(event.seq, { call: event, asked: [], decided: [], starts: [] })
    else if (isEvent(event, 'approval/asked')) lives.get(event.data.call)?.asked.push(event)
    else if (isEvent(event, 'approval/decided')) lives.get(event.data.call)?.decided.push(event)
    else if (isEvent(event, 'tool/start')) lives.get(event.data.call)?.starts.push(event)
    else if (isEvent(event, 'tool/result')) {
      const life = lives.get(event.data.call)
      if (life) life.result ??= event
    }
  }
  return lives
}

/** Whether the body of a call that has no result may run again: it began, and declared that repeating it does no harm. */
export function mayRunAgain({ starts, result }: CallLife): boolean {
  const effects = starts.at(-1)?.data.effects
  return result === undefined && (effects === 'none' || effects === 'idempotent')
}

/** The result of a call that the log has none for. */
export function closingOf({ call, starts }: CallLife, why: string): ToolExecutionFailure {
  const start = starts.at(-1)
  if (start === undefined) return failedWith('TOOL_NOT_STARTED', call.data.name, why)
  return failedWith('TOOL_OUTCOME_UNKNOWN', call.data.name, `${why} ${beforeRepeating(start.data.effects)}`)
}
