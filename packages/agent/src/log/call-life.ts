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

/** The calls of a log that is read event by event, by the `seq` of their `tool/call`. What names a call that is not there belongs to none. */
export class CallLives {
  readonly #lives = new Map<number, Mutable<CallLife>>()

  get all(): ReadonlyMap<number, CallLife> {
    return this.#lives
  }

  /** Take the next event. @returns the call it belongs to, as it is now; the same object each time. */
  take(event: SessionEvent): CallLife | undefined {
    if (isEvent(event, 'tool/call')) {
      const life: Mutable<CallLife> = { call: event, asked: [], decided: [], starts: [] }
      this.#lives.set(event.seq, life)
      return life
    }
    if (isEvent(event, 'approval/asked')) return this.#add(event.data.call, ({ asked }) => asked.push(event))
    if (isEvent(event, 'approval/decided')) return this.#add(event.data.call, ({ decided }) => decided.push(event))
    if (isEvent(event, 'tool/start')) return this.#add(event.data.call, ({ starts }) => starts.push(event))
    if (isEvent(event, 'tool/result')) {
      return this.#add(event.data.call, (life) => {
        life.result ??= event
      })
    }
    return undefined
  }

  #add(call: number, change: (life: Mutable<CallLife>) => void): CallLife | undefined {
    const life = this.#lives.get(call)
    if (life) change(life)
    return life
  }
}

/** The calls of a log, by the `seq` of their `tool/call`, in its order. */
export function callLives(events: Iterable<SessionEvent>): Map<number, CallLife> {
  const lives = new CallLives()
  for (const event of events) lives.take(event)
  return new Map(lives.all)
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
