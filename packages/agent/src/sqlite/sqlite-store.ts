import type { Clock } from '@dsh/tools/ports'
import type Database from 'libsql'
import { countsOf } from '../log/counts.ts'
import type { SessionEvent } from '../log/event.ts'
import { isSessionError, SessionError } from '../log/session-error.ts'
import type { AppendBatch, LeaseAnswer, SessionStore, SessionSummary } from '../log/store.ts'
import { type LeaseRow, Leases } from './leases.ts'
import { PageReader } from './read-page.ts'
import { PLACES } from './schema.ts'
import { sqliteFailure } from './sqlite-error.ts'

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
  readonly #db: Database.Database
  readonly #file: string
  readonly #leases: Leases
  readonly #reader: PageReader
  readonly #insertSession: Database.Statement
  readonly #insertEvent: Database.Statement
  readonly #advance: Database.Statement
  readonly #find: Database.Statement
  #closed = false

  /** @param db - open, with its tables. */
  constructor(db: Database.Database, file: string, clock: Clock) {
    this.#db = db
    this.#file = file
    this.#leases = new Leases(db, clock, () => undefined) // the next append tells: it writes the same row
    this.#reader = new PageReader(db, file)
    this.#insertSession = db.prepare('INSERT INTO sessions (id, created, updated) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    this.#insertEvent = db.prepare('INSERT INTO events (place, time, type, data) VALUES (?, ?, ?, ?)')
    this.#advance = db.prepare(
      `UPDATE sessions SET last = last + ?, updated = ?, calls = calls + ?, results = results + ?, failed = failed + ?
       WHERE id = ? AND last = ? AND lease = ? RETURNING number`,
    )
    this.#find = db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`)
  }

  async create(id: string, created: number): Promise<void> {
    const { changes } = this.#write('making a session', () => this.#insertSession.run(id, created, created))
    if (changes === 0) throw new SessionError('SESSION_EXISTS', `There is a session ${id} already: choose another id, or delete it.`)
  }

  async list({ tool }: { readonly tool?: string } = {}): Promise<readonly SessionSummary[]> {
    const called = `SELECT place / ${PLACES} FROM events WHERE type = 'tool/call' AND json_extract(data, '$.name') = ?`
    const filter = tool === undefined ? '' : `WHERE number IN (${called})`
    const query = `SELECT ${COLUMNS} FROM sessions ${filter} ORDER BY updated DESC`
    const rows = this.#read('listing the sessions', () =>
      this.#db.prepare(query).all(...(tool === undefined ? [] : [tool])),
    ) as SessionRow[]
    return rows.map((row) => this.#summaryOf(row))
  }

  async find(id: string): Promise<SessionSummary> {
    return this.#summaryOf(this.#row(id))
  }

  async read(id: string, after: number, limit: number): Promise<readonly SessionEvent[]> {
    const { number } = this.#row(id)
    return this.#reader.read({ id, base: number * PLACES }, after, limit)
  }

  async append(id: string, { lease, expected, events }: AppendBatch): Promise<void> {
    const { calls, results, failed } = countsOf(events)
    const updated = events.at(-1)?.time ?? 0
    this.#write('writing events', () => {
      const [row] = this.#advance.all(events.length, updated, calls, results, failed, id, expected, lease) as SessionRow[]
      if (row === undefined) throw this.#appendProblem(id, lease, expected)
      const base = row.number * PLACES
      for (const { seq, time, type, data } of events) this.#insertEvent.run(base + seq, time, type, JSON.stringify(data))
    })
  }

  #appendProblem(id: string, lease: string, expected: number): SessionError {
    const row = this.#row(id)
    if (row.lease === lease)
      return new SessionError('SESSION_SEQ_CONFLICT', `The session ${id} ends with event ${row.last}, not ${expected}.`)
    return new SessionError(
      'SESSION_LEASE_LOST',
      `The session ${id} is not this writer's any more: another process took it over, or it was given back.`,
    )
  }

  async acquire(id: string): Promise<LeaseAnswer> {
    const answer = this.#write('taking the lease of a session', () => this.#leases.take(id))
    if (answer === undefined) throw notFound(id)
    if (answer.kind === 'acquired') this.#leases.taken(id, answer.lease)
    return answer
  }

  async release(id: string, lease: string): Promise<void> {
    if (this.#closed) return
    this.#write('giving back the lease of a session', () => this.#leases.give(id, lease))
  }

  async delete(id: string): Promise<void> {
    this.#write('deleting a session', () => {
      const row = this.#row(id)
      const holder = this.#leases.holderOf(row)
      if (holder)
        throw new SessionError(
          'SESSION_HELD',
          `The session ${id} is written by process ${holder.pid} on ${holder.host}, and cannot be deleted now.`,
        )
      const base = row.number * PLACES
      this.#db.prepare('DELETE FROM events WHERE place > ? AND place < ?').run(base, base + PLACES)
      this.#db.prepare('DELETE FROM sessions WHERE number = ?').run(row.number)
    })
  }

  async close(): Promise<void> {
    if (this.#closed) return
    try {
      this.#leases.giveAll()
      tidy(this.#db)
    } finally {
      this.#closed = true
      this.#db.close()
    }
  }

  #row(id: string): SessionRow {
    const [row] = this.#read('finding a session', () => this.#find.all(id)) as SessionRow[]
    if (row === undefined) throw notFound(id)
    return row
  }

  #summaryOf(row: SessionRow): SessionSummary {
    const holder = this.#leases.holderOf(row)
    const { id, created, updated, last, calls, results, failed } = row
    return { id, created, updated, events: last, calls, failed, open: calls - results, ...(holder && { holder }) }
  }

  /** @throws STORE_UNUSABLE when the file cannot be read. */
  #read<T>(doing: string, query: () => T): T {
    this.#assertOpen()
    try {
      return query()
    } catch (error) {
      throw sqliteFailure('STORE_UNUSABLE', this.#file, doing, error)
    }
  }

  /** One transaction, which other processes wait for. @throws SESSION_WRITE_FAILED, or what `work` throws; nothing is kept then. */
  #write<T>(doing: string, work: () => T): T {
    this.#assertOpen()
    try {
      this.#db.exec('BEGIN IMMEDIATE')
      const result = work()
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
      throw isSessionError(error) ? error : sqliteFailure('SESSION_WRITE_FAILED', this.#file, doing, error)
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new SessionError('STORE_UNUSABLE', `${this.#file}: the store has been closed.`)
  }
}

function notFound(id: string): SessionError {
  return new SessionError('SESSION_NOT_FOUND', `There is no session ${id}.`)
}

/** The write-ahead log goes into the file, so that the file alone can be copied. */
function tidy(db: Database.Database): void {
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // others are busy with it, and will do it; or it is read-only: events are as safe in the one as in the other
  }
}
