import { hostname } from 'node:os'
import { withoutCard } from './card-of-event.ts'
import { countsOf } from './counts.ts'
import { isEvent, type SessionEvent } from './event.ts'
import { SessionError } from './session-error.ts'
import type { AppendBatch, LeaseAnswer, ReadRange, SessionHolder, SessionStore, SessionSummary } from './store.ts'

interface Kept {
  readonly id: string
  readonly created: number
  readonly events: SessionEvent[]
  lease?: { readonly token: string; readonly holder: SessionHolder } | undefined
}

/** A store that lives as long as the process. */
export function createMemoryStore(): SessionStore {
  return new MemoryStore(new Map())
}

/** Stores that share what they keep, as two processes share a file. */
export function createSharedMemoryStores(): () => SessionStore {
  const sessions = new Map<string, Kept>()
  return () => new MemoryStore(sessions)
}

class MemoryStore implements SessionStore {
  readonly #sessions: Map<string, Kept>
  /** Sessions written through this store. */
  readonly #leased = new Map<string, string>()

  constructor(sessions: Map<string, Kept>) {
    this.#sessions = sessions
  }

  async create(id: string, created: number): Promise<void> {
    if (this.#sessions.has(id))
      throw new SessionError('SESSION_EXISTS', `There is a session ${id} already: choose another id, or delete it.`)
    this.#sessions.set(id, { id, created, events: [] })
  }

  async list({ tool }: { readonly tool?: string } = {}): Promise<readonly SessionSummary[]> {
    const isWanted = (event: SessionEvent) => isEvent(event, 'tool/call') && event.data.name === tool
    const sessions = [...this.#sessions.values()].filter(({ events }) => tool === undefined || events.some(isWanted))
    return sessions.map(summaryOf).sort((a, b) => b.updated - a.updated)
  }

  async find(id: string): Promise<SessionSummary> {
    return summaryOf(this.#get(id))
  }

  async read(id: string, { after, limit, cards = false }: ReadRange): Promise<readonly SessionEvent[]> {
    const events = this.#get(id).events.slice(after, after + limit)
    return cards ? events : events.map(withoutCard)
  }

  async append(id: string, { lease, expected, events }: AppendBatch): Promise<void> {
    const session = this.#get(id)
    if (session.lease?.token !== lease) throw new SessionError('SESSION_LEASE_LOST', `The session ${id} is not this writer's any more.`)
    const last = session.events.length
    if (last !== expected) throw new SessionError('SESSION_SEQ_CONFLICT', `The session ${id} ends with event ${last}, not ${expected}.`)
    for (const event of events) session.events.push(event)
  }

  async acquire(id: string): Promise<LeaseAnswer> {
    const session = this.#get(id)
    if (session.lease) return { kind: 'held', holder: session.lease.holder }
    const token = crypto.randomUUID()
    session.lease = { token, holder: { host: hostname(), pid: process.pid, since: Date.now() } }
    this.#leased.set(id, token)
    return { kind: 'acquired', lease: token }
  }

  async release(id: string, lease: string): Promise<void> {
    const session = this.#sessions.get(id)
    if (session?.lease?.token === lease) session.lease = undefined
  }

  async delete(id: string): Promise<void> {
    const { lease } = this.#get(id)
    if (lease)
      throw new SessionError('SESSION_HELD', `The session ${id} is written by process ${lease.holder.pid}; it cannot be deleted now.`)
    this.#sessions.delete(id)
  }

  async close(): Promise<void> {
    for (const [id, lease] of this.#leased) await this.release(id, lease)
  }

  #get(id: string): Kept {
    const session = this.#sessions.get(id)
    if (session === undefined) throw new SessionError('SESSION_NOT_FOUND', `There is no session ${id}.`)
    return session
  }
}

function summaryOf({ id, created, events, lease }: Kept): SessionSummary {
  const { calls, results, failed } = countsOf(events)
  return {
    id,
    created,
    updated: events.at(-1)?.time ?? created,
    events: events.length,
    calls,
    failed,
    open: calls - results,
    ...(lease && { holder: lease.holder }),
  }
}
