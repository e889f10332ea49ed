const BRAND = Symbol.for('dsh.SessionError')

/** What can be wrong with a session or its store. */
export type SessionErrorCode =
  /** There is a session of that id. */
  | 'SESSION_EXISTS'
  /** There is none. */
  | 'SESSION_NOT_FOUND'
  /** An id that no session may have. */
  | 'SESSION_ID_INVALID'
  /** Another process writes it: it can be read. */
  | 'SESSION_HELD'
  /** The lease was taken over or given back: nothing more can be written. */
  | 'SESSION_LEASE_LOST'
  /** The log does not end where the writer believed. */
  | 'SESSION_SEQ_CONFLICT'
  /** It has been closed. */
  | 'SESSION_CLOSED'
  /** An event could not be written: the disk is full, or the folder read-only. */
  | 'SESSION_WRITE_FAILED'
  /** An event cannot be read: the message says which. */
  | 'SESSION_LOG_BROKEN'
  /** The store is of a version this one does not know, is no store, or cannot be opened. */
  | 'STORE_UNUSABLE'

/** Expected trouble with a session: `code` says what, `message` also where and what to do. */
export class SessionError extends Error {
  readonly code: SessionErrorCode

  constructor(code: SessionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SessionError'
    this.code = code
    Object.defineProperty(this, BRAND, { value: true })
  }
}

/** Whether something thrown is a {@link SessionError}, also one of another installed copy. */
export function isSessionError(thrown: unknown): thrown is SessionError {
  return typeof thrown === 'object' && thrown !== null && BRAND in thrown
}
