import type { Clock } from '@dsh/tools/ports'
import type Database from 'libsql'
import { cardOfEvent, withoutCard } from '../log/card-of-event.ts'
import { countsOf } from '../log/counts.ts'
import type { SessionEvent } from '../log/event.ts'
import { SessionError } from '../log/session-error.ts'
import type { AppendBatch, LeaseAnswer, ReadRange, SessionStore, SessionSummary } from '../log/store.ts'
import { Connection } from './connection.ts'
import { toColumn } from './event-type.ts'
import { type LeaseRow, Leases } from './leases.ts'
import { PageReader } from './read-page.ts'
import { PLACES } from './schema.ts'

interface SessionRow extends LeaseRow {
  readonly number: number
  readonly id: string
  readonly created: number
  readonly updated: number
  readonly last: number
  readonly calls: number
  readonly results: number
  readonly failed: number
}

const COLUMNS = 'number, id, created, updated, last, calls, results, failed, lease, holder, renewed'

/** Sessions in one SQLite file. Every transaction is synchronous: it blocks for as long as the disk takes. */
export class SqliteStore implements SessionStore {
  readonly #connection: Connection
  readonly #leases: Leases
  readonly #reader: PageReader
  readonly #insertSession: Database.Statement
  readonly #insertEvent: Database.Statement
  readonly #advance: Database.Statement
  readonly #find: Database.Statement
  readonly #numbers = new Map<string, number>()

  /** @param db - open, with its tables. */
  constructor(db: Database.Database, file: string, clock: Clock) {
    this.#connection = new Connection(db, file)
    this.#leases = new Leases(db, clock)
    this.#reader = new PageReader(db, file)
    this.#insertSession = db.prepare('INSERT INTO sessions (id, created, updated) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    this.#insertEvent = db.prepare('INSERT INTO events (place, time, type, data, card) VALUES (?, ?, ?, ?, ?)')
    this.#advance = db.prepare(
      `UPDATE sessions SET last = last + ?, updated = ifnull(?, updated), calls = calls + ?, results = results + ?, failed = failed + ?
       WHERE number = ? AND last = ? AND lease = ?`,
    )
    this.#find = db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`)
  }

  async create(id: string, created: number): Promise<void> {
    const { changes } = this.#connection.write('making a session', () => this.#insertSession.run(id, created, created))
    if (changes === 0) throw new SessionError('SESSION_EXISTS', `There is a session ${id} already: choose another id, or delete it.`)
  }

  async list({ tool }: { readonly tool?: string } = {}): Promise<readonly SessionSummary[]> {
    // An event that is no JSON belongs to one session, and the others are listed all the same.
    const name = `CASE WHEN json_valid(data) THEN json_extract(data, '$.name') END`
    const called = `SELECT place / ${PLACES} FROM events WHERE type = 'tool/call' AND ${name} = ?`
    const filter = tool === undefined ? '' : `WHERE number IN (${called})`
    const query = `SELECT ${COLUMNS} FROM sessions ${filter} ORDER BY updated DESC`
    const rows = this.#connection.read('listing the sessions', () =>
      this.#connection.db.prepare(query).all(...(tool === undefined ? [] : [tool])),
    ) as SessionRow[]
    return rows.map((row) => this.#summaryOf(row))
  }

  async find(id: string): Promise<SessionSummary> {
    return this.#summaryOf(this.#row(id))
  }

  async read(id: string, range: ReadRange): Promise<readonly SessionEvent[]> {
    return this.#connection.snapshot(() => {
      const { number, last } = this.#row(id)
      return this.#reader.read({ id, base: number * PLACES, last }, range)
    })
  }

  async append(id: string, { lease, expected, events }: AppendBatch): Promise<void> {
    const { calls, results, failed } = countsOf(events)
    const updated = events.at(-1)?.time ?? null
    this.#connection.write('writing events', () => {
      const number = this.#numberOf(id)
      const { changes } = this.#advance.run(events.length, updated, calls, results, failed, number, expected, lease)
      if (changes === 0) throw this.#appendProblem(id, lease, expected)
      for (const event of events) this.#insert(number * PLACES, event)
    })
  }

  /** Kept, since whoever writes a session writes it often. A number that is not that of the session any more has another lease. */
  #numberOf(id: string): number {
    const number = this.#numbers.get(id) ?? this.#row(id).number
    this.#numbers.set(id, number)
    return number
  }

  #insert(base: number, event: SessionEvent): void {
    const card = cardOfEvent(event)
    const { seq, time, type, data } = withoutCard(event)
    this.#insertEvent.run(base + seq, time, toColumn(type), JSON.stringify(data), card === undefined ? null : JSON.stringify(card))
  }

  #appendProblem(id: string, lease: string, expected: number): SessionError {
    this.#numbers.delete(id)
    const row = this.#row(id)
    if (row.lease === lease)
      return new SessionError('SESSION_SEQ_CONFLICT', `The session ${id} ends with event ${row.last}, not ${expected}.`)
    return new SessionError(
      'SESSION_LEASE_LOST',
      `The session ${id} is not this writer's any more: another process took it over, or it was given back.`,
    )
  }

  async acquire(id: string): Promise<LeaseAnswer> {
    this.#numbers.delete(id) // another process may have deleted it, and made one of its name
    const answer = this.#connection.write('taking the lease of a session', () => this.#leases.take(id))
    if (answer === undefined) throw notFound(id)
    if (answer.kind === 'acquired') this.#leases.taken(id, answer.lease)
    return answer
  }

  async release(id: string, lease: string): Promise<void> {
    if (this.#connection.isClosed) return
    this.#connection.write('giving back the lease of a session', () => this.#leases.give(id, lease))
  }

  async delete(id: string): Promise<void> {
    this.#connection.write('deleting a session', () => {
      const row = this.#row(id)
      const holder = this.#leases.holderOf(row)
      if (holder)
        throw new SessionError(
          'SESSION_HELD',
          `The session ${id} is written by process ${holder.pid} on ${holder.host}, and cannot be deleted now.`,
        )
      const base = row.number * PLACES
      this.#connection.db.prepare('DELETE FROM events WHERE place > ? AND place < ?').run(base, base + PLACES)
      this.#connection.db.prepare('DELETE FROM sessions WHERE number = ?').run(row.number)
    })
  }

  async close(): Promise<void> {
    if (this.#connection.isClosed) return
    try {
      this.#leases.giveAll()
    } finally {
      this.#connection.close()
    }
  }

  #row(id: string): SessionRow {
    const [row] = this.#connection.read('finding a session', () => this.#find.all(id)) as SessionRow[]
    if (row === undefined) throw notFound(id)
    return row
  }

  #summaryOf(row: SessionRow): SessionSummary {
    const holder = this.#leases.holderOf(row)
    const { id, created, updated, last, calls, results, failed } = row
    return { id, created, updated, events: last, calls, failed, open: calls - results, ...(holder && { holder }) }
  }
}

function notFound(id: string): SessionError {
  return new SessionError('SESSION_NOT_FOUND', `There is no session ${id}.`)
}
