import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClock } from '@dsh/tools/executor'
import type { Clock } from '@dsh/tools/ports'
import type Database from 'libsql'
import { isSessionError, SessionError } from '../log/session-error.ts'
import type { SessionStore } from '../log/store.ts'
import { openDatabase } from './open-database.ts'
import { sqliteFailure } from './sqlite-error.ts'
import { SqliteStore } from './sqlite-store.ts'

/** Where sessions are kept. */
export interface SqliteStoreOptions {
  /** The workspace: the file is `.dsh/sessions.db` in it, and is made when it is missing. */
  readonly folder: string
  readonly clock?: Clock
}

/**
 * Open the sessions of a workspace: SQLite with a write-ahead log that is synced at each commit.
 * @throws SessionError STORE_UNUSABLE when the file is of a schema this version does not know, is no database of ours, or cannot be opened.
 */
export async function openSqliteStore({ folder, clock = backgroundClock }: SqliteStoreOptions): Promise<SessionStore> {
  const Libsql = await loadLibsql()
  const file = join(folder, '.dsh', 'sessions.db')
  try {
    makeFolder(join(folder, '.dsh'))
    return new SqliteStore(openDatabase(Libsql, file), file, clock)
  } catch (error) {
    throw isSessionError(error) ? error : sqliteFailure('STORE_UNUSABLE', file, 'opening it', error)
  }
}

/** Its timers renew leases, and do not keep a process alive. */
const backgroundClock = createClock((callback, delayMs) => setTimeout(callback, delayMs).unref())

async function loadLibsql(): Promise<typeof Database> {
  try {
    return (await import('libsql')).default
  } catch (error) {
    throw new SessionError('STORE_UNUSABLE', 'Sessions in SQLite need the package libsql: npm install libsql.', { cause: error })
  }
}

/** The folder keeps itself out of version control, and what was said in sessions from other users. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, '.gitignore'), '*\n')
}
