import type { JsonValue } from '@dsh/tools'
import { EVENT_VERSION, type SessionEvent } from './event.ts'
import { isWellFormed } from './event-shape.ts'
import { SessionError } from './session-error.ts'

/** A log read from JSON Lines. */
export interface ImportedLines {
  readonly events: SessionEvent[]
  /** A last line that breaks off, as a crash leaves it: it is left out. */
  readonly torn?: { readonly line: number; readonly reason: string }
}

/** A line that does not hold the next event. `events` are those before it. */
export class BrokenLineError extends SessionError {
  /** From 1 on. */
  readonly line: number
  readonly events: readonly SessionEvent[]

  constructor(line: number, reason: string, events: readonly SessionEvent[]) {
    const before = events.length === 1 ? '1 event' : `${events.length.toLocaleString('en')} events`
    super('SESSION_LOG_BROKEN', `Line ${line} is no event of the log: ${reason}. The ${before} before it can be read.`)
    this.line = line
    this.events = events
  }
}

/** A log as JSON Lines: one event a line, each with its line end. */
export function* exportJsonLines(events: Iterable<SessionEvent>): Generator<string> {
  for (const { v, session, seq, time, type, data } of events) yield `${JSON.stringify({ v, session, seq, time, type, data })}\n`
}

/**
 * Read a log from JSON Lines. A last line that breaks off, without its line end, is left out and told.
 * @throws BrokenLineError naming any other line that is not the next event of the same session.
 */
export function importJsonLines(bytes: Uint8Array): ImportedLines {
  const events: SessionEvent[] = []
  let line = 0
  for (const { start, end, isLast } of linesOf(bytes)) {
    line++
    const read = readLine(bytes.subarray(start, end), events.at(-1))
    if (read === undefined) continue
    if ('event' in read) events.push(read.event)
    else if (isLast && read.unreadable) return { events, torn: { line, reason: read.reason } }
    else throw new BrokenLineError(line, read.reason, events)
  }
  return { events }
}

const LINE_END = 0x0a

/** `isLast`: nothing ends it. */
function* linesOf(bytes: Uint8Array): Generator<{ start: number; end: number; isLast: boolean }> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_END, start)
    const end = found === -1 ? bytes.length : found
    yield { start, end, isLast: found === -1 }
    start = end + 1
  }
}

type ReadLine = { readonly event: SessionEvent } | { readonly reason: string; readonly unreadable: boolean } | undefined

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** `unreadable`: it is no JSON, as opposed to JSON that is no event. */
function readLine(bytes: Uint8Array, last: SessionEvent | undefined): ReadLine {
  let value: unknown
  try {
    const text = UTF8.decode(bytes)
    if (text.trim() === '') return undefined
    value = JSON.parse(text)
  } catch (error) {
    return { reason: error instanceof SyntaxError ? `it is not JSON (${error.message})` : 'it is not UTF-8 text', unreadable: true }
  }
  const reason = eventProblem(value, last)
  return reason === undefined ? { event: value as SessionEvent } : { reason, unreadable: false }
}

/** Why a value is not the event after `last`; undefined when it is. */
function eventProblem(value: unknown, last: SessionEvent | undefined): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not an object'
  const { v, session, seq, time, type, data } = value as Partial<Record<keyof SessionEvent, JsonValue>>
  if (v !== EVENT_VERSION) return `its version is ${JSON.stringify(v)}, and this dsh reads ${EVENT_VERSION}: a newer dsh may read it`
  if (typeof session !== 'string' || (last && session !== last.session)) return 'it is not of the same session'
  const next = (last?.seq ?? 0) + 1
  if (seq !== next) return `its seq is ${JSON.stringify(seq)} where ${next} comes next`
  if (typeof time !== 'number') return 'it has no time'
  if (typeof type !== 'string' || type === '') return 'it has no type'
  if (data === undefined) return 'it has no data'
  if (!isWellFormed(type, data)) return `its data is not that of a ${type} event`
  return undefined
}
