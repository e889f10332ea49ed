import type { SessionEvent } from './event.ts'
import { isSessionError, type SessionError } from './session-error.ts'
import type { ReadRange, SessionStore } from './store.ts'

const PAGE = 5_000

/** Events that could be read. */
export interface ReadEvents {
  readonly events: SessionEvent[]
  /** Why the rest cannot be; absent when the log is whole. */
  readonly broken?: SessionError
}

/**
 * Read a session without becoming its writer, and without repairing it.
 * @param options - `cards`: with the cards of calls and results, for whoever shows them.
 * @throws SessionError SESSION_NOT_FOUND
 */
export async function readEvents(store: SessionStore, id: string, { cards = false }: Pick<ReadRange, 'cards'> = {}): Promise<ReadEvents> {
  const events: SessionEvent[] = []
  try {
    for (;;) {
      const page = await store.read(id, { after: events.length, limit: PAGE, cards })
      for (const event of page) events.push(event)
      if (page.length === 0) return { events }
    }
  } catch (error) {
    if (isSessionError(error) && error.code === 'SESSION_LOG_BROKEN') return { events, broken: error }
    throw error
  }
}
