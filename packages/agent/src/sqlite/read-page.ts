import type Database from 'libsql'
import { EVENT_VERSION, type SessionEvent } from '../log/event.ts'
import { SessionError } from '../log/session-error.ts'
import { PLACES } from './schema.ts'

/** Rows that are made into one text, and parsed at once: more gain nothing, and a text of large events takes memory. */
const TEXT_ROWS = 250

/** Events of a page as SQLite makes them: a text for each column. Several times faster than the driver makes objects of rows. */
interface PageTexts {
  readonly count: number
  /** Of the first and the last. */
  readonly from: number
  readonly to: number
  /** One a line. */
  readonly times: string
  /** One a line. */
  readonly types: string
  /** One JSON array. */
  readonly data: string
}

/** Whose events are read, and the place before the first of them. */
interface Source {
  readonly id: string
  readonly base: number
}

/** Reads the events of a session from its rows. */
export class PageReader {
  readonly #file: string
  readonly #texts: Database.Statement
  readonly #rows: Database.Statement
  /** One text for each type, however many events are of it. */
  readonly #types = new Map<string, string>()

  constructor(db: Database.Database, file: string) {
    this.#file = file
    const rows = `SELECT place, time, type, data FROM events WHERE place > ? AND place < ? ORDER BY place LIMIT ?`
    this.#texts = db.prepare(
      `SELECT count(*) AS count, min(place) AS "from", max(place) AS "to", group_concat(time, char(10)) AS times,
       group_concat(type, char(10)) AS types, '[' || group_concat(data) || ']' AS data FROM (${rows})`,
    )
    this.#rows = db.prepare(rows)
  }

  /** Events after `after`, at most `limit`; fewer before one that cannot be read. @throws SESSION_LOG_BROKEN when that is the first. */
  read(source: Source, after: number, limit: number): SessionEvent[] {
    const events: SessionEvent[] = []
    while (events.length < limit) {
      const before = events.length
      const page = { ...source, after: after + before, wanted: Math.min(TEXT_ROWS, limit - before) }
      if (!this.#fast(events, page)) this.#careful(events, page)
      if (events.length - before < page.wanted) break
    }
    return events
  }

  /** Add a page of events. False, with nothing added, when anything is wrong with it. */
  #fast(events: SessionEvent[], { id, base, after, wanted }: Page): boolean {
    try {
      const [texts] = this.#texts.all(base + after, base + PLACES, wanted) as [PageTexts]
      if (texts.count === 0) return true
      // As many places as events, from the next one on: none is missing.
      if (texts.from !== base + after + 1 || texts.to - texts.from + 1 !== texts.count) return false
      const times = texts.times.split('\n')
      const types = texts.types.split('\n')
      const data: SessionEvent['data'][] = JSON.parse(texts.data)
      if (types.length !== texts.count || data.length !== texts.count) return false // a type of two lines, say
      for (let at = 0; at < texts.count; at++) {
        events.push({
          v: EVENT_VERSION,
          session: id,
          seq: after + at + 1,
          time: Number(times[at]),
          type: this.#typeOf(types[at] as string),
          data: data[at] as SessionEvent['data'],
        })
      }
      return true
    } catch {
      return false // the careful way finds out what is wrong, and where
    }
  }

  #typeOf(type: string): string {
    const known = this.#types.get(type)
    if (known === undefined) this.#types.set(type, type)
    return known ?? type
  }

  /** Add events row by row, up to the first that cannot be read. @throws SESSION_LOG_BROKEN when none can. */
  #careful(events: SessionEvent[], { id, base, after, wanted }: Page): void {
    for (let seq = after + 1; seq <= after + wanted; seq++) {
      try {
        const event = this.#row(id, base, seq)
        if (event === undefined) return
        events.push(event)
      } catch (error) {
        if (events.length === 0) throw this.#broken(id, seq, error)
        return
      }
    }
  }

  #row(session: string, base: number, seq: number): SessionEvent | undefined {
    const [row] = this.#rows.all(base + seq - 1, base + PLACES, 1) as { place: number; time: number; type: string; data: string }[]
    if (row === undefined) return undefined
    if (row.place !== base + seq) throw new Error(`event ${row.place - base} follows, and not ${seq}`)
    return { v: EVENT_VERSION, session, seq, time: row.time, type: row.type, data: JSON.parse(row.data) }
  }

  #broken(session: string, seq: number, cause: unknown): SessionError {
    const why = cause instanceof Error ? cause.message : String(cause)
    const before = seq === 1 ? 'Nothing of it can be read' : `The ${(seq - 1).toLocaleString('en')} before it can be read`
    const message = `${this.#file}: event ${seq} of the session ${session} cannot be read: ${why}. ${before}.`
    return new SessionError('SESSION_LOG_BROKEN', message, { cause })
  }
}

interface Page extends Source {
  /** The `seq` before its first. */
  readonly after: number
  readonly wanted: number
}
