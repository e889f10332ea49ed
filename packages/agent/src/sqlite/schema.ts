import type Database from 'libsql'
import { SessionError } from '../log/session-error.ts'

/** The version this store writes, and the only one it reads. */
const SCHEMA_VERSION = 1
/** "dsh" and a 1: tells our databases from those of others. */
const APPLICATION_ID = 0x64_73_68_31

/**
 * How many events a session may have. `place` is the number of the session times this, and the `seq`: one tree of integers, in which the events of a
 * session lie side by side. Reading them takes half the time that it takes by a key of two columns.
 */
export const PLACES: number = 2 ** 32

const TABLES = `
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    last INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0,
    results INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    lease TEXT,
    holder TEXT,
    renewed INTEGER
  );
  CREATE TABLE events (
    place INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    card TEXT
  );
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};`

/** Whether the database holds our tables; to be asked within a transaction, since others may be making them. @throws SessionError STORE_UNUSABLE when it holds anything else. */
export function hasSchema(db: Database.Database, file: string): boolean {
  const version = numberOf(db, 'user_version')
  const application = numberOf(db, 'application_id')
  const tables = (db.prepare("SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'").all() as [{ n: number }])[0].n
  if (application === APPLICATION_ID && version === SCHEMA_VERSION) return true
  if (application === 0 && version === 0 && tables === 0) return false
  if (application === APPLICATION_ID) {
    const known = `it has schema ${version}, and this dsh knows ${SCHEMA_VERSION}`
    throw new SessionError(
      'STORE_UNUSABLE',
      `${file} cannot be used: ${known}. Use the dsh that wrote it or a newer one, or move the file aside.`,
    )
  }
  const found = `it is a database of another program (application id ${application}, ${tables} tables)`
  throw new SessionError('STORE_UNUSABLE', `${file} cannot be used: ${found}. Move it aside: dsh keeps its sessions under that name.`)
}

/** Make the tables, unless another process has just done so: in one transaction. */
export function makeSchema(db: Database.Database, file: string): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    if (!hasSchema(db, file)) db.exec(TABLES)
    db.exec('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function numberOf(db: Database.Database, pragma: 'user_version' | 'application_id'): number {
  return (db.prepare(`PRAGMA ${pragma}`).all() as [Record<string, number>])[0][pragma] as number
}
