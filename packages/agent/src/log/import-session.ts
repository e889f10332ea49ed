import { isEvent, type SessionEvent } from './event.ts'
import { SessionError } from './session-error.ts'
import { assertSessionId } from './session-id.ts'
import type { SessionStore } from './store.ts'

/** The type of a grant that came with a log from elsewhere. */
const GRANTED_ELSEWHERE = 'approval/granted-elsewhere'

/**
 * Keep the events of another store, or of an export, as a new session. The session they were taken from may go on as well: calls that are
 * made from now on have keys of their own in each. What was granted for a session was granted there: the events stay, and grant nothing here.
 * @param id - default: that of the events.
 * @throws SessionError SESSION_EXISTS, SESSION_ID_INVALID, SESSION_LOG_BROKEN when there are no events, SESSION_WRITE_FAILED: then there is no new session.
 */
export async function importSession(store: SessionStore, events: readonly SessionEvent[], id?: string): Promise<string> {
  const first = events[0]
  if (first === undefined) throw new SessionError('SESSION_LOG_BROKEN', 'There are no events to import.')
  const session = id ?? first.session
  assertSessionId(session)
  await store.create(session, first.time)
  try {
    const answer = await store.acquire(session)
    if (answer.kind === 'held') throw new SessionError('SESSION_EXISTS', `Another process has begun to import the session ${session}.`)
    const kept = events.map((event) => ({ ...event, session, type: isEvent(event, 'approval/granted') ? GRANTED_ELSEWHERE : event.type }))
    try {
      await store.append(session, { lease: answer.lease, expected: 0, events: kept })
    } finally {
      await store.release(session, answer.lease)
    }
  } catch (error) {
    await store.delete(session)
    throw error
  }
  return session
}
