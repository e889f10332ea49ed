import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  BrokenLineError,
  importJsonLines,
  isSessionError,
  readEvents,
  type SessionEvent,
  type SessionHolder,
  type SessionStore,
} from '@dsh/agent'
import { printableLine } from '../text/printable.ts'
import { systemReason, UsageError } from '../usage-error.ts'
import { hasStore, withStore } from './session-store.ts'

/** A log that was read, as far as it could be. */
export interface ReadLog {
  readonly events: readonly SessionEvent[]
  /** Why the rest is missing; the log is of no use beyond. */
  readonly broken?: string
  /** A last line that a crash tore: the rest is whole. */
  readonly torn?: string
  /** Who writes it now. Null: nobody does. Undefined: nobody knows, since it is an export. */
  readonly holder?: SessionHolder | null
}

/** Read a log: of an export, when the name is that of a file, or of a session of the workspace. @throws UsageError when there is neither. */
export function readLog(root: string, cwd: string, name: string): Promise<ReadLog> {
  const isFile = /[/\\]|\.jsonl$/.test(name) || existsSync(resolve(cwd, name))
  return isFile ? readLogFile(resolve(cwd, name), name) : readLogOfSession(root, name)
}

/** Read an export. @throws UsageError when it cannot be read. */
export async function readLogFile(path: string, name: string): Promise<ReadLog> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(path)
  } catch (error) {
    throw new UsageError(`${name}: ${systemReason(error)}. Name an export (JSON Lines), or the id of a session.`, { cause: error })
  }
  try {
    const { events, torn } = importJsonLines(bytes)
    return { events, ...(torn && { torn: `${name}:${torn.line}: the last line is torn and left out: ${torn.reason}` }) }
  } catch (error) {
    if (!(error instanceof BrokenLineError)) throw error
    return { events: error.events, broken: `${name}:${error.line}: ${error.message}` }
  }
}

/** Read a session of the workspace. @throws UsageError when there is none of that id. */
export async function readLogOfSession(root: string, id: string): Promise<ReadLog> {
  if (!hasStore(root))
    throw new UsageError(`There is no session ${JSON.stringify(id)}: this folder keeps none yet. dsh batch FILE --session ID makes one.`)
  return withStore(root, async (store) => {
    try {
      const { holder = null } = await store.find(id) // before the events: who ends in between has written its results
      const { events, broken } = await readEvents(store, id, { cards: true })
      return { events, holder, ...(broken && { broken: broken.message }) }
    } catch (error) {
      if (isSessionError(error) && error.code === 'SESSION_NOT_FOUND')
        throw new UsageError(await unknownSession(store, id), { cause: error })
      throw error
    }
  })
}

/** What to say of an id that is none: which there are. */
export async function unknownSession(store: SessionStore, id: string): Promise<string> {
  const [newest, ...others] = await store.list()
  const hint =
    newest === undefined ? 'There are none.' : `The newest is ${newest.id}${others.length > 0 ? '; dsh sessions lists them all' : ''}.`
  return `There is no session ${JSON.stringify(printableLine(id))} here. ${hint}`
}
