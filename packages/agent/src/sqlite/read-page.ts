import type Database from 'libsql'
import { EVENT_VERSION, type SessionEvent } from '../log/event.ts'
import { SessionError } from '../log/session-error.ts'

/** Rows that are made into one text, and parsed at once: more gain nothing, and a text of large events takes memory. */
const TEXT_ROWS = 250

/** Reads the events of a session from its rows. */
export class PageReader {
  readonly #file: string
  readonly #text: Database.Statement
  readonly #rows: Database.Statement

  constructor(db: Database.Database, file: string) {
    this.#file = file
    const rows = 'SELECT seq, time, type, data FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?'
    // One text for many rows: SQLite makes it several times faster than the driver makes objects of them.
    this.#text = db.prepare(
      `SELECT '[' || group_concat('[' || seq || ',' || time || ',' || json_quote(type) || ',' || data || ']') || ']' AS text FROM (${rows})`,
    )
    this.#rows = db.prepare(rows)
  }

  /** Events after `after`, at most `limit`; fewer before one that cannot be read. @throws SESSION_LOG_BROKEN when that is the first. */
  read(session: string, after: number, limit: number): SessionEvent[] {
    const events: SessionEvent[] = []
    while (events.length < limit) {
      const at = after + events.length
      const wanted = Math.min(TEXT_ROWS, limit - events.length)
      const read = this.#fast(session, at, wanted) ?? this.#careful(session, at, { wanted, isFirst: events.length === 0 })
      for (const event of read) events.push(event)
      if (read.length < wanted) break
    }
    return events
  }

  /** Undefined when anything is wrong. */
  #fast(session: string, after: number, wanted: number): SessionEvent[] | undefined {
    let rows: readonly Row[]
    try {
      const [{ text }] = this.#text.all(session, after, wanted) as [{ text: string | null }]
      rows = text === null ? [] : JSON.parse(text)
    } catch {
      return undefined // the careful way finds out what is wrong, and where
    }
    const events: SessionEvent[] = []
    for (const row of rows) {
      const event = toEvent(session, row)
      if (row.length !== 4 || event.seq !== after + events.length + 1) return undefined
      events.push(event)
    }
    return events
  }

  /** Row by row, up to the first that cannot be read. */
  #careful(session: string, after: number, { wanted, isFirst }: { wanted: number; isFirst: boolean }): SessionEvent[] {
    const events: SessionEvent[] = []
    for (let seq = after + 1; events.length < wanted; seq++) {
      try {
        const event = this.#row(session, seq)
        if (event === undefined) return events
        events.push(event)
      } catch (error) {
        if (isFirst && events.length === 0) throw this.#broken(session, seq, error)
        return events
      }
    }
    return events
  }

  #row(session: string, seq: number): SessionEvent | undefined {
    const [row] = this.#rows.all(session, seq - 1, 1) as { seq: number; time: number; type: string; data: string }[]
    if (row === undefined) return undefined
    if (row.seq !== seq) throw new Error(`event ${row.seq} follows, and not ${seq}`)
    return toEvent(session, [row.seq, row.time, row.type, JSON.parse(row.data)])
  }

  #broken(session: string, seq: number, cause: unknown): SessionError {
    const why = cause instanceof Error ? cause.message : String(cause)
    const before = seq === 1 ? 'Nothing of it can be read' : `The ${(seq - 1).toLocaleString('en')} before it can be read`
    const message = `${this.#file}: event ${seq} of the session ${session} cannot be read: ${why}. ${before}.`
    return new SessionError('SESSION_LOG_BROKEN', message, { cause })
  }
}

type Row = readonly [seq: number, time: number, type: string, data: SessionEvent['data']]

function toEvent(session: string, [seq, time, type, data]: Row): SessionEvent {
  return { v: EVENT_VERSION, session, seq, time, type, data }
}
