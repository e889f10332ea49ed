import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type Database from 'libsql'
import { isSessionError } from '../log/session-error.ts'
import { hasSchema, makeSchema } from './schema.ts'

/** How long a transaction waits for those of other processes. */
const BUSY_MS = 5_000
/** How long to wait before a new try, where SQLite itself does not wait. */
const PAUSE_MS = 5

/** Open a database of sessions, made when there is none: a write-ahead log, synced at each commit. @throws SessionError, and what SQLite throws. */
export function openDatabase(Libsql: typeof Database, file: string): Database.Database {
  const until = Date.now() + BUSY_MS
  for (;;) {
    try {
      return attempt(Libsql, file)
    } catch (error) {
      // Others make it at this moment: SQLite does not wait while the write-ahead log is switched on.
      if (!isOf(error, /BUSY|locked/) || Date.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}

function attempt(Libsql: typeof Database, file: string): Database.Database {
  try {
    return prepared(new Libsql(file, { timeout: BUSY_MS }), file)
  } catch (error) {
    if (!isOf(error, /CANTOPEN|READONLY|ConnectionFailed|unable to open|readonly/) || !isAtRest(file)) throw error
    // In a folder that may not be written, SQLite can read what nobody writes, when it is told so.
    return prepared(new Libsql(`${pathToFileURL(file).href}?immutable=1`), file)
  }
}

function prepared(db: Database.Database, file: string): Database.Database {
  try {
    if (!isMade(db, file)) {
      db.exec('PRAGMA journal_mode = WAL')
      makeSchema(db, file)
    }
    db.exec('PRAGMA synchronous = FULL')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function isMade(db: Database.Database, file: string): boolean {
  db.exec('BEGIN')
  try {
    return hasSchema(db, file)
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK')
  }
}

/** Whether a database lies there that has no write-ahead log: nobody writes it. */
function isAtRest(file: string): boolean {
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return size(file) > 0 && size(`${file}-wal`) === 0
}

function isOf(error: unknown, pattern: RegExp): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return !isSessionError(error) && pattern.test(`${code} ${message}`)
}
