import type { SessionEvent } from './event.ts'
import { isSessionError, type SessionError } from './session-error.ts'
import type { SessionStore } from './store.ts'

const PAGE = 5_000

/** Events that could be read. */
export interface ReadEvents {
  readonly events: SessionEvent[]
  /** Why the rest cannot be; absent when the log is whole. */
  readonly broken?: SessionError
}

/** Read a session without becoming its writer, and without repairing it. @throws SessionError SESSION_NOT_FOUND */
export async function readEvents(store: SessionStore, id: string): Promise<ReadEvents> {
  const events: SessionEvent[] = []
  try {
    for (let page = await store.read(id, 0, PAGE); page.length > 0; page = await store.read(id, events.length, PAGE)) {
      for (const event of page) events.push(event)
    }
    return { events }
  } catch (error) {
    if (isSessionError(error) && error.code === 'SESSION_LOG_BROKEN') return { events, broken: error }
    throw error
  }
}
