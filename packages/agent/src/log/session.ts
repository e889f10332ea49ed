import { type JsonValue, snapshotJson } from '@dsh/tools'
import type { Clock, SessionSink } from '@dsh/tools/ports'
import type { CallLife } from './call-life.ts'
import { withoutCard } from './card-of-event.ts'
import { EVENT_VERSION, isEvent, type SessionEvent, type SessionEventMap } from './event.ts'
import { GroupCommit } from './group-commit.ts'
import type { Repair, RepairedCall } from './repair.ts'
import { isSessionError, SessionError } from './session-error.ts'
import { SessionKeys } from './session-keys.ts'
import type { SessionHolder, SessionStore } from './store.ts'
import { Watchers } from './watchers.ts'

/** What a session is made of. */
export interface SessionParts {
  readonly id: string
  readonly store: SessionStore
  readonly clock: Clock
  readonly events: SessionEvent[]
  /** Why it may be written, or by whom it is. */
  readonly writer: { readonly lease: string } | { readonly heldBy: SessionHolder }
}

/** One agent's log, open: what lies in the store, and what is on its way there. Made by `openSession`. */
export class Session implements SessionSink {
  readonly id: string
  /** Where it is kept. */
  readonly store: SessionStore
  /** Who writes it, when that is another process: then it can only be read, as it was when it was opened. */
  readonly heldBy: SessionHolder | undefined
  /** The calls that were closed when it was opened, because the process that made them was gone. */
  readonly repaired: readonly RepairedCall[]
  readonly #clock: Clock
  readonly #lease: string | undefined
  readonly #events: SessionEvent[]
  readonly #open: Map<number, CallLife>
  readonly #keys: SessionKeys
  readonly #commit: GroupCommit
  readonly #watchers = new Watchers<SessionEvent>()
  #ended: SessionError | undefined

  constructor({ id, store, clock, events, writer }: SessionParts, repair: Repair) {
    this.id = id
    this.store = store
    this.#clock = clock
    this.#events = events
    this.#keys = new SessionKeys(id, events)
    this.#commit = new GroupCommit((batch) => this.#write(batch), clock)
    this.heldBy = 'heldBy' in writer ? writer.heldBy : undefined
    this.#lease = 'lease' in writer ? writer.lease : undefined
    this.repaired = this.heldBy ? [] : repair.repaired
    this.#open = new Map(this.heldBy ? [] : repair.open.map((life) => [life.call.seq, life]))
  }

  /** All of its events, those included that are on their way to the store, without their cards: `readEvents` has those. Grows with each append. */
  get events(): readonly SessionEvent[] {
    return this.#events
  }

  /** The last turn that any call or message belongs to; 0 before the first. */
  get lastTurn(): number {
    for (let at = this.#events.length - 1; at >= 0; at--) {
      const event = this.#events[at] as SessionEvent
      if (isEvent(event, 'turn/start') || isEvent(event, 'tool/call') || isEvent(event, 'assistant/message')) return event.data.turn
    }
    return 0
  }

  /** Calls whose body began before a crash, that have no result, and that may run again: see `resumeCalls`. */
  get openCalls(): readonly CallLife[] {
    return [...this.#open.values()]
  }

  keyOf(seq: number): string {
    return this.#keys.of(seq)
  }

  /**
   * Append one event. Its number is given at once; `durable` waits until it, and all before it, survive a crash. Events that nobody waits
   * for are written with the next ones that somebody does, or within 100 ms.
   * @throws SessionError SESSION_HELD, SESSION_CLOSED; SESSION_WRITE_FAILED or SESSION_LEASE_LOST when it, or an event before it, could not be
   * written: the session has to be opened again.
   */
  async append(
    event: { readonly type: string; readonly data: JsonValue },
    options: { readonly durable?: boolean } = {},
  ): Promise<{ readonly seq: number }> {
    this.assertWritable()
    const start = event.type === 'tool/call' ? this.#keys.start() : undefined
    if (start) this.#take({ type: 'session/start', data: start })
    const seq = this.#take(event)
    if (options.durable) await this.#commit.flush()
    return { seq }
  }

  /** Append one event of a known type: {@link append} with its data checked by the compiler. */
  log<K extends keyof SessionEventMap>(
    type: K,
    data: SessionEventMap[K],
    options?: { readonly durable?: boolean },
  ): Promise<{ readonly seq: number }> {
    return this.append({ type, data: data as JsonValue }, options)
  }

  /** @throws SessionError SESSION_HELD when another process writes it; what ended it, when it cannot be written any more. */
  assertWritable(): void {
    if (this.heldBy) throw heldError(this.id, this.heldBy)
    if (this.#ended) throw this.#ended
  }

  /**
   * Hear of each event as it is appended, with its card, before it is durable. A listener that throws is warned about and hurts nobody.
   * @returns what stops it.
   */
  watch(listener: (event: SessionEvent) => void): () => void {
    return this.#watchers.add(listener)
  }

  /** Settles when everything appended so far survives a crash. @throws as {@link append}. */
  flush(): Promise<void> {
    return this.#commit.flush()
  }

  /** Write what is left, and let others write. Idempotent. @throws what could not be written; the lease is given back all the same. */
  async close(): Promise<void> {
    if (this.#lease === undefined || this.#ended?.code === 'SESSION_CLOSED') return
    try {
      await this.#commit.flush()
    } finally {
      this.#ended = new SessionError('SESSION_CLOSED', `The session ${this.id} has been closed: open it again to write.`)
      await this.store.release(this.id, this.#lease)
    }
  }

  #take({ type, data }: { readonly type: string; readonly data: JsonValue }): number {
    if (typeof type !== 'string' || type === '') throw new TypeError('An event needs a type.')
    const last = this.#events.at(-1)
    const time = Math.max(this.#clock.now(), last?.time ?? 0) // a clock may jump back; a log does not
    const seq = this.#events.length + 1
    const event: SessionEvent = { v: EVENT_VERSION, session: this.id, seq, time, type, data: snapshotJson(data) }
    this.#events.push(withoutCard(event))
    this.#keys.heard(event)
    if (isEvent(event, 'tool/result')) this.#open.delete(event.data.call)
    this.#commit.add(event)
    this.#watchers.tell(event)
    return seq
  }

  async #write(events: readonly SessionEvent[]): Promise<void> {
    if (this.#ended) throw this.#ended
    const expected = (events[0] as SessionEvent).seq - 1
    try {
      await this.store.append(this.id, { lease: this.#lease as string, expected, events })
    } catch (error) {
      this.#ended = isSessionError(error) ? error : writeFailed(this.id, error)
      this.#events.length = expected // what is not in the store did not happen
      throw this.#ended
    }
  }
}

/** The error of whoever wants to write what another process writes. */
function heldError(id: string, { host, pid, since }: SessionHolder): SessionError {
  const who = `process ${pid} on ${host}, since ${new Date(since).toISOString()}`
  return new SessionError('SESSION_HELD', `The session ${id} is written by ${who}. It can be read meanwhile; end that process to write it.`)
}

function writeFailed(id: string, cause: unknown): SessionError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new SessionError('SESSION_WRITE_FAILED', `The session ${id} could not be written: ${why}`, { cause })
}
