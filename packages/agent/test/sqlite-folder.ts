import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { onTestFinished } from 'vitest'
import type { SessionStore } from '../src/log/store.ts'
import { openSqliteStore } from '../src/sqlite/door.ts'

/** A workspace of a test's own, gone when it ends. */
export function workspace(): { readonly folder: string; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, file: join(folder, '.dsh', 'sessions.db') }
}

/** Do something with the store of a workspace, and close it. */
export async function withStore<T>(folder: string, work: (store: SessionStore) => Promise<T>): Promise<T> {
  const store = await openSqliteStore({ folder })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Do something with a database behind the store's back. */
export function inDatabase<T>(file: string, work: (db: Database.Database) => T): T {
  const db = new Database(file, { timeout: 5_000 })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** Run as a user who may not write everywhere: root steps down for the while. */
export async function asNobody<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run()
  process.seteuid?.(65_534)
  try {
    return await run()
  } finally {
    process.seteuid?.(0)
  }
}
