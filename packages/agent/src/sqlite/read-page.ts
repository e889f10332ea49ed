import type { JsonValue } from '@dsh/tools'
import type Database from 'libsql'
import { withCard } from '../log/card-of-event.ts'
import { EVENT_VERSION, type SessionEvent } from '../log/event.ts'
import { SessionError } from '../log/session-error.ts'
import type { ReadRange } from '../log/store.ts'
import { fromColumn } from './event-type.ts'
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
  /** One JSON array, with null for what has none; absent when they were not asked for. */
  readonly cards?: string
}

/** Whose events are read, the place before the first of them, and how many there are. */
interface Source {
  readonly id: string
  readonly base: number
  readonly last: number
}

/** Reads the events of a session from its rows. */
export class PageReader {
  readonly #file: string
  readonly #texts: Database.Statement
  readonly #textsWithCards: Database.Statement
  readonly #rows: Database.Statement
  /** One text for each type, however many events are of it. */
  readonly #types = new Map<string, string>()

  constructor(db: Database.Database, file: string) {
    this.#file = file
    const rows = (columns: string) => `SELECT ${columns} FROM events WHERE place > ? AND place < ? ORDER BY place LIMIT ?`
    const all = rows('place, time, type, data, card')
    const texts = `count(*) AS count, min(place) AS "from", max(place) AS "to", group_concat(time, char(10)) AS times,
      group_concat(type, char(10)) AS types, '[' || group_concat(data) || ']' AS data`
    this.#texts = db.prepare(`SELECT ${texts} FROM (${rows('place, time, type, data')})`)
    this.#textsWithCards = db.prepare(`SELECT ${texts}, '[' || group_concat(ifnull(card, 'null')) || ']' AS cards FROM (${all})`)
    this.#rows = db.prepare(all)
  }

  /** Events of a range; fewer before one that cannot be read. @throws SESSION_LOG_BROKEN when that is the first. */
  read(source: Source, { after, limit, cards = false }: ReadRange): SessionEvent[] {
    const events: SessionEvent[] = []
    while (events.length < limit) {
      const before = events.length
      const page = { ...source, after: after + before, wanted: Math.min(TEXT_ROWS, limit - before), cards }
      if (!this.#fast(events, page)) this.#careful(events, page)
      if (events.length - before < page.wanted) break
    }
    return events
  }

  /** Add a page of events. False, with nothing added, when anything is wrong with it. */
  #fast(events: SessionEvent[], { id, base, last, after, wanted, cards }: Page): boolean {
    try {
      const statement = cards ? this.#textsWithCards : this.#texts
      const [texts] = statement.all(base + after, base + PLACES, wanted) as [PageTexts]
      if (texts.count < Math.min(wanted, last - after)) return false
      if (texts.count === 0) return true
      // As many places as events, from the next one on: none is missing.
      if (texts.from !== base + after + 1 || texts.to - texts.from + 1 !== texts.count) return false
      const times = texts.times.split('\n')
      const types = texts.types.split('\n').map((type) => this.#typeOf(type))
      const data: JsonValue[] = JSON.parse(texts.data)
      const views: JsonValue[] | undefined = texts.cards === undefined ? undefined : JSON.parse(texts.cards)
      if (types.length !== texts.count || data.length !== texts.count) return false
      for (let at = 0; at < texts.count; at++) {
        const [seq, time, type] = [after + at + 1, Number(times[at]), types[at] as string]
        const event = { v: EVENT_VERSION, session: id, seq, time, type, data: data[at] as JsonValue } as const
        events.push(toCarded(event, views?.[at]))
      }
      return true
    } catch {
      return false // the careful way finds out what is wrong, and where
    }
  }

  #typeOf(type: string): string {
    const known = this.#types.get(type)
    if (known !== undefined) return known
    const decoded = fromColumn(type)
    this.#types.set(type, decoded)
    return decoded
  }

  /** Add events row by row, up to the first that cannot be read. @throws SESSION_LOG_BROKEN when none can. */
  #careful(events: SessionEvent[], { id, base, last, after, wanted, cards }: Page): void {
    for (let seq = after + 1; seq <= after + wanted; seq++) {
      try {
        const row = this.#row(base, seq)
        if (row === undefined && seq > last) return
        if (row === undefined) throw new Error(`it is missing, and the session has ${last}`)
        events.push(toEvent(id, seq, row, cards))
      } catch (error) {
        if (events.length === 0) throw this.#broken(id, seq, error)
        return
      }
    }
  }

  #row(base: number, seq: number): EventRow | undefined {
    const [row] = this.#rows.all(base + seq - 1, base + PLACES, 1) as EventRow[]
    if (row !== undefined && row.place !== base + seq) throw new Error(`event ${row.place - base} follows, and not ${seq}`)
    return row
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
  readonly cards: boolean
}

interface EventRow {
  readonly place: number
  readonly time: number
  readonly type: string
  readonly data: string
  readonly card: string | null
}

function toEvent(session: string, seq: number, { time, type, data, card }: EventRow, cards: boolean): SessionEvent {
  const event: SessionEvent = { v: EVENT_VERSION, session, seq, time, type: fromColumn(type), data: JSON.parse(data) }
  return toCarded(event, cards && card !== null ? JSON.parse(card) : undefined)
}

function toCarded(event: SessionEvent, view: JsonValue | undefined): SessionEvent {
  return view === undefined || view === null ? event : withCard(event, view)
}
