import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionStore } from '@dsh/agent'

/** Where the sessions of a workspace are kept, for a person. */
export const STORE_FILE: string = join('.dsh', 'sessions.db')

/** Use the sessions of a workspace, and close them after. They are made when they are missing. */
export async function withStore<T>(root: string, work: (store: SessionStore) => Promise<T>): Promise<T> {
  const { openSqliteStore } = await import('@dsh/agent/sqlite') // its native part is loaded by commands that need it alone
  const store = await openSqliteStore({ folder: root })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Whether a workspace keeps any sessions: those who only read are to leave no file behind. */
export function hasStore(root: string): boolean {
  return existsSync(join(root, STORE_FILE))
}
