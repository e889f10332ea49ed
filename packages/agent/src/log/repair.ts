import { type CallLife, callLives, closingOf, mayRunAgain } from './call-life.ts'
import { isEvent, type SessionEvent, type SessionEventMap } from './event.ts'

/** A call that was closed when its session was opened. */
export interface RepairedCall {
  /** The `seq` of its `tool/call`. */
  readonly call: number
  readonly callId: string
  readonly name: string
  readonly code: 'TOOL_NOT_STARTED' | 'TOOL_OUTCOME_UNKNOWN'
}

/** An event as it is handed to a session. */
export type NewEvent = { [K in keyof SessionEventMap]: { readonly type: K; readonly data: SessionEventMap[K] } }[keyof SessionEventMap]

/** What a log that breaks off needs, and what it leaves open. */
export interface Repair {
  /** To be appended, together. None for a log that is whole: a repair of a repaired log changes nothing. */
  readonly events: readonly NewEvent[]
  readonly repaired: readonly RepairedCall[]
  /** Calls that may run again. */
  readonly open: readonly CallLife[]
}

/** What the model reads of a call that the process did not finish. */
export const PROCESS_ENDED = 'The process ended first.'

/**
 * Work out how to repair a log whose process was killed: an approval that nobody answered is closed as cancelled; a call that did not
 * start is closed as such; one whose body began stays open when it may run again, and is closed as of unknown outcome otherwise.
 */
export function repairOf(events: Iterable<SessionEvent>): Repair {
  const added: NewEvent[] = []
  const repaired: RepairedCall[] = []
  const open: CallLife[] = []
  for (const [seq, life] of unfinished(events)) {
    for (let n = life.decided.length; n < life.asked.length; n++) {
      added.push({ type: 'approval/decided', data: { call: seq, outcome: 'cancelled', repaired: true } })
    }
    if (mayRunAgain(life)) {
      open.push(life)
      continue
    }
    added.push(closingEvent(life, PROCESS_ENDED))
    const { callId, name } = life.call.data
    repaired.push({ call: seq, callId, name, code: life.starts.length > 0 ? 'TOOL_OUTCOME_UNKNOWN' : 'TOOL_NOT_STARTED' })
  }
  return { events: added, repaired, open }
}

/** The calls that have no result. Most logs have none, and need no more than one look at each event. */
function unfinished(events: Iterable<SessionEvent>): Map<number, CallLife> {
  const open = new Set<number>()
  for (const event of events) {
    if (isEvent(event, 'tool/call')) open.add(event.seq)
    else if (isEvent(event, 'tool/result')) open.delete(event.data.call)
  }
  const lives = open.size === 0 ? new Map<number, CallLife>() : callLives(events)
  for (const seq of lives.keys()) if (!open.has(seq)) lives.delete(seq)
  return lives
}

/** The result that closes a call without running it again. */
export function closingEvent(life: CallLife, why: string): NewEvent {
  const { content, error } = closingOf(life, why)
  return {
    type: 'tool/result',
    data: { call: life.call.seq, callId: life.call.data.callId, isError: true, content, error, repaired: true },
  }
}
