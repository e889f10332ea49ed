import type { JsonValue } from '@dsh/tools'
import { systemClock } from '@dsh/tools/executor'
import type { Clock } from '@dsh/tools/ports'
import { readEvents } from './read-events.ts'
import { repairOf } from './repair.ts'
import { Session } from './session.ts'
import { isSessionError } from './session-error.ts'
import { assertSessionId } from './session-id.ts'
import type { SessionStore } from './store.ts'

/** Options of {@link openSession}. */
export interface OpenSessionOptions {
  /** Make it when there is none of that id. Default false. */
  readonly create?: boolean
  readonly clock?: Clock
}

/**
 * Open a session, as its only writer when nobody else is. What a process that was killed left unfinished is repaired first, idempotently:
 * `repaired` and `openCalls` of the session say what was found. When another living process writes it, it can be read: `heldBy` says who.
 * @throws SessionError SESSION_ID_INVALID, SESSION_NOT_FOUND, SESSION_LOG_BROKEN (nothing is appended after what cannot be read; `readEvents`
 * gives what can), SESSION_WRITE_FAILED.
 */
export async function openSession(store: SessionStore, id: string, options: OpenSessionOptions = {}): Promise<Session> {
  const { create = false, clock = systemClock } = options
  assertSessionId(id)
  if (create) await createUnlessThere(store, id, clock)
  const answer = await store.acquire(id)
  if (answer.kind === 'held') {
    const { events, broken } = await readEvents(store, id)
    if (broken) throw broken
    return new Session({ id, store, clock, events, writer: { heldBy: answer.holder } }, repairOf(events))
  }
  try {
    return await openForWriting(store, id, { clock, lease: answer.lease })
  } catch (error) {
    await store.release(id, answer.lease)
    throw error
  }
}

async function openForWriting(store: SessionStore, id: string, { clock, lease }: { clock: Clock; lease: string }): Promise<Session> {
  const { events, broken } = await readEvents(store, id)
  if (broken) throw broken
  const repair = repairOf(events)
  const session = new Session({ id, store, clock, events, writer: { lease } }, repair)
  for (const { type, data } of repair.events) await session.append({ type, data: data as JsonValue })
  await session.flush()
  return session
}

async function createUnlessThere(store: SessionStore, id: string, clock: Clock): Promise<void> {
  try {
    await store.create(id, clock.now())
  } catch (error) {
    if (!(isSessionError(error) && error.code === 'SESSION_EXISTS')) throw error
  }
}
