const BRAND = Symbol.for('dsh.ModelError')

/** What can go wrong between a request to a model and the end of its answer. */
export type ModelErrorCode =
  /** The provider does not accept the key. */
  | 'MODEL_UNAUTHORIZED'
  /** Too many requests, or none left: `retryAfterMs` says when the next one may come. */
  | 'MODEL_RATE_LIMITED'
  /** The provider cannot be reached, or failed by itself. */
  | 'MODEL_UNAVAILABLE'
  /** The provider does not accept the request: an unknown model, a history that is too long. */
  | 'MODEL_REQUEST_REFUSED'
  /** The answer broke off, or made no sense. */
  | 'MODEL_STREAM_BROKEN'
  /** Nothing came for too long. */
  | 'MODEL_STALLED'
  /** Anything else. */
  | 'MODEL_FAILED'

/** What is known of a failed request. */
export interface ModelErrorDetail {
  /** Whether the same request may succeed when it is made again. */
  readonly retryable: boolean
  /** How long the provider asks to wait before that, in milliseconds. */
  readonly retryAfterMs?: number
  /** The HTTP status of the answer. */
  readonly status?: number
  readonly cause?: unknown
}

/** A model that could not be asked, or whose answer broke off. `message` is for a person: what happened, and what to do. */
export class ModelError extends Error {
  readonly code: ModelErrorCode
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  readonly status: number | undefined

  constructor(code: ModelErrorCode, message: string, { retryable, retryAfterMs, status, cause }: ModelErrorDetail) {
    super(message, { cause })
    this.name = 'ModelError'
    this.code = code
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
    this.status = status
    Object.defineProperty(this, BRAND, { value: true })
  }
}

/** Whether something thrown is a {@link ModelError}, also one of another installed copy. */
export function isModelError(thrown: unknown): thrown is ModelError {
  return typeof thrown === 'object' && thrown !== null && BRAND in thrown
}
