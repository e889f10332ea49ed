import type { SessionEvent } from './event.ts'

/** Who writes a session. */
export interface SessionHolder {
  readonly host: string
  readonly pid: number
  /** When it took the lease, milliseconds since the epoch. */
  readonly since: number
}

/** What a list shows of one session. */
export interface SessionSummary {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly created: number
  /** Time of the last event; `created` when there is none. */
  readonly updated: number
  /** How many events it has: the `seq` of the last one. */
  readonly events: number
  readonly calls: number
  /** Results that say the call failed. */
  readonly failed: number
  /** Calls without a result: the process was killed, or still runs. */
  readonly open: number
  /** Who writes it now; absent when nobody does, or the one who did is dead. */
  readonly holder?: SessionHolder
}

/** Whether the caller may write a session now. */
export type LeaseAnswer =
  /** It may; `lease` goes with everything it writes. */
  | { readonly kind: 'acquired'; readonly lease: string }
  /** Somebody else does, and is alive. */
  | { readonly kind: 'held'; readonly holder: SessionHolder }

/** Events to be written together. */
export interface AppendBatch {
  /** The lease of the writer. */
  readonly lease: string
  /** `seq` of the last event the writer knows; 0 for an empty session. */
  readonly expected: number
  /** Their `seq` go on from `expected`. */
  readonly events: readonly SessionEvent[]
}

/** Which events are read. */
export interface ReadRange {
  /** The `seq` before the first of them; 0 from the start. */
  readonly after: number
  readonly limit: number
  /** With the cards of calls and results. Default false. */
  readonly cards?: boolean
}

/**
 * Where sessions are kept. Everything it throws about a session is a `SessionError`. `describeStore` of
 * `@dsh/agent/testing` is its contract as tests.
 */
export interface SessionStore {
  /** Make an empty session. @throws SESSION_EXISTS */
  create(id: string, created: number): Promise<void>
  /** The sessions, the one with the newest event first. `tool`: only those in which that tool was called. */
  list(filter?: { readonly tool?: string }): Promise<readonly SessionSummary[]>
  /** One of them. @throws SESSION_NOT_FOUND */
  find(id: string): Promise<SessionSummary>
  /**
   * Events of a range, in order. Fewer than `limit` only at the end, or before an event that cannot be
   * read. Without their cards (`view`) unless they are asked for: a long session has most of its bytes in them.
   * @throws SESSION_LOG_BROKEN when the first of them cannot be read; SESSION_NOT_FOUND
   */
  read(id: string, range: ReadRange): Promise<readonly SessionEvent[]>
  /**
   * Write all of the events or none. Settles when they survive a crash of the process and of the machine.
   * @throws SESSION_LEASE_LOST, SESSION_SEQ_CONFLICT, SESSION_WRITE_FAILED, SESSION_NOT_FOUND
   */
  append(id: string, batch: AppendBatch): Promise<void>
  /** Become the one who writes, also in place of a holder that is dead. @throws SESSION_NOT_FOUND */
  acquire(id: string): Promise<LeaseAnswer>
  /** Give the lease back. Nothing happens when it is not that of the session any more. */
  release(id: string, lease: string): Promise<void>
  /** Remove a session and its events. @throws SESSION_HELD when somebody writes it, SESSION_NOT_FOUND */
  delete(id: string): Promise<void>
  /** Give back every lease taken through this store, and close it. */
  close(): Promise<void>
}
