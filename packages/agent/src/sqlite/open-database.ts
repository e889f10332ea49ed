import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type Database from 'libsql'
import { isSessionError } from '../log/session-error.ts'
import { hasSchema, makeSchema } from './schema.ts'

/** How long a transaction waits for those of other processes. */
const BUSY_MS = 5_000

/** Open a database of sessions, made when there is none: a write-ahead log, synced at each commit. @throws SessionError, and what SQLite throws. */
export function openDatabase(Libsql: typeof Database, file: string): Database.Database {
  try {
    return prepared(new Libsql(file, { timeout: BUSY_MS }), file)
  } catch (error) {
    if (isSessionError(error) || !isAtRest(file)) throw error
    // In a folder that may not be written, SQLite can read what nobody writes, when it is told so.
    return prepared(new Libsql(`${pathToFileURL(file).href}?immutable=1`), file)
  }
}

function prepared(db: Database.Database, file: string): Database.Database {
  try {
    if (!hasSchema(db, file)) {
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

/** Whether a database lies there that has no write-ahead log: nobody writes it. */
function isAtRest(file: string): boolean {
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return size(file) > 0 && size(`${file}-wal`) === 0
}
