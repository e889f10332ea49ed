import type Database from 'libsql'
import { isSessionError, SessionError } from '../log/session-error.ts'
import { sqliteFailure } from './sqlite-error.ts'

/** An open file, and what may be done with it: every failure of SQLite becomes an error that names the file and says what to do. */
export class Connection {
  readonly db: Database.Database
  readonly file: string
  isClosed = false

  /** @param db - open, with its tables. */
  constructor(db: Database.Database, file: string) {
    this.db = db
    this.file = file
  }

  /** @throws STORE_UNUSABLE when the file cannot be read. */
  read<T>(doing: string, query: () => T): T {
    this.assertOpen()
    try {
      return query()
    } catch (error) {
      throw sqliteFailure('STORE_UNUSABLE', this.file, doing, error)
    }
  }

  /** Several queries of one state of the file, whatever others write meanwhile. */
  snapshot<T>(queries: () => T): T {
    this.assertOpen()
    this.db.exec('BEGIN')
    try {
      return queries()
    } finally {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
    }
  }

  /** One transaction, which other processes wait for. @throws SESSION_WRITE_FAILED, or what `work` throws; nothing is kept then. */
  write<T>(doing: string, work: () => T): T {
    this.assertOpen()
    try {
      this.db.exec('BEGIN IMMEDIATE')
      const result = work()
      this.db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
      throw isSessionError(error) ? error : sqliteFailure('SESSION_WRITE_FAILED', this.file, doing, error)
    }
  }

  assertOpen(): void {
    if (this.isClosed) throw new SessionError('STORE_UNUSABLE', `${this.file}: the store has been closed.`)
  }

  /** Close it for good. Idempotent. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    tidy(this.db)
    this.db.close()
  }
}

/** The write-ahead log goes into the file, so that the file alone can be copied. */
function tidy(db: Database.Database): void {
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // others are busy with it, and will do it; or it is read-only: events are as safe in the one as in the other
  }
}
