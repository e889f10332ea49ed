import type { Clock, ModelEvent, ModelRequest, ModelService } from '@dsh/tools/ports'
import type { LoggedError } from '../log/event.ts'
import { isModelError, ModelError } from '../model/model-error.ts'
import { type Answer, AnswerBuilder } from './answer.ts'

/** How a model that fails is asked again. */
export interface ModelPatience {
  /** How often a request that came to nothing is made again. Default 3. */
  readonly maxRetries: number
  /** The wait before the first of them, in milliseconds; it doubles each time, give or take a quarter. Default 1,000. */
  readonly backoffMs: number
  /** The longest wait that a provider may ask for, in milliseconds. Default 60,000. */
  readonly maxWaitMs: number
  /** How long a model may say nothing, in milliseconds; Infinity: for ever. Default 120,000. */
  readonly stallMs: number
}

/** A model, and how it is asked. */
export interface ModelAsker {
  readonly model: ModelService
  readonly clock: Clock
  readonly patience: ModelPatience
  readonly signal: AbortSignal
  readonly onEvent: (event: ModelEvent) => void
  readonly onRetry: (retry: { readonly attempt: number; readonly waitMs: number; readonly error: LoggedError }) => void
}

/** What came of a request. Nothing of a broken answer is to be run. */
export type Asked =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** It broke off: `answer` is what may be kept. */
  | { readonly kind: 'broken'; readonly answer: Answer; readonly error: ModelError }
  /** The caller cancelled it: `answer` is what may be kept. */
  | { readonly kind: 'cancelled'; readonly answer: Answer }

/** Ask a model. A request that failed before any text came is made again, where that may help. Settles when the answer is whole or over. */
export async function askModel(asker: ModelAsker, request: ModelRequest): Promise<Asked> {
  for (let attempt = 1; ; attempt++) {
    const asked = await askOnce(asker, request)
    if (asked.kind !== 'broken' || asked.answer.content.length > 0) return asked
    const waitMs = waitBefore(attempt, asked.error, asker.patience)
    if (waitMs === undefined) return asked
    const { code, message } = asked.error
    asker.onRetry({ attempt, waitMs, error: { code, message } })
    if (!(await pause(asker, waitMs))) return { kind: 'cancelled', answer: asked.answer }
  }
}

async function askOnce({ model, clock, patience, signal, onEvent }: ModelAsker, request: ModelRequest): Promise<Asked> {
  const builder = new AnswerBuilder()
  const watchdog = new Watchdog(signal, clock, patience.stallMs)
  let pieces: AsyncIterator<ModelEvent> | undefined
  try {
    pieces = model.stream(request, watchdog.signal)[Symbol.asyncIterator]()
    for (;;) {
      const piece = await watchdog.race(pieces.next())
      if (piece.done) break
      builder.add(piece.value)
      onEvent(piece.value)
      if (builder.isFinished) break // what comes after the end is no part of the answer
    }
    if (builder.isFinished) return { kind: 'answered', answer: builder.answer }
    throw new ModelError('MODEL_STREAM_BROKEN', "The model's answer ended before it was finished.", { retryable: true })
  } catch (error) {
    if (signal.aborted) return { kind: 'cancelled', answer: builder.kept }
    return { kind: 'broken', answer: builder.kept, error: toModelError(error) }
  } finally {
    watchdog.end()
    void letGo(pieces)
  }
}

/** Give a stream back. It has been told by its signal, and what it says now is about an answer that nobody waits for. */
async function letGo(pieces: AsyncIterator<ModelEvent> | undefined): Promise<void> {
  try {
    await pieces?.return?.()
  } catch {
    // see above
  }
}

/** Fires when the caller does, or when nothing was heard for too long. */
class Watchdog {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #clock: Clock
  readonly #stallMs: number
  readonly #follow = () => this.#fire(this.#caller.reason)
  /** Rejects what is being waited for. */
  #reject: ((reason: unknown) => void) | undefined
  #heardAt: number
  #disarm: (() => void) | undefined

  constructor(caller: AbortSignal, clock: Clock, stallMs: number) {
    this.#caller = caller
    this.#clock = clock
    this.#stallMs = stallMs
    this.#heardAt = clock.now()
    if (caller.aborted) this.#follow()
    else caller.addEventListener('abort', this.#follow, { once: true })
    this.#arm(stallMs)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The same, unless it fires first. */
  async race<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined) // when it fires first, nobody waits for the work any more
    this.signal.throwIfAborted()
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#reject = reject
        work.then(resolve, reject)
      })
    } finally {
      this.#reject = undefined
      this.#heardAt = this.#clock.now()
    }
  }

  /** Stop waiting. Whatever is still open behind the signal is to close. */
  end(): void {
    this.#disarm?.()
    this.#caller.removeEventListener('abort', this.#follow)
    this.#controller.abort(new DOMException('The answer is over.', 'AbortError'))
  }

  /** One timer for all pieces: it is set again for what is left of the time since the last one. */
  #arm(waitMs: number): void {
    if (this.#stallMs === Number.POSITIVE_INFINITY) return
    this.#disarm = this.#clock.after(waitMs, () => {
      const left = this.#heardAt + this.#stallMs - this.#clock.now()
      if (left > 0) this.#arm(left)
      else this.#fire(stalled(this.#stallMs))
    })
  }

  #fire(reason: unknown): void {
    this.#controller.abort(reason)
    this.#reject?.(reason)
  }
}

function stalled(stallMs: number): ModelError {
  return new ModelError('MODEL_STALLED', `The model has said nothing for ${Math.round(stallMs / 1_000)} s.`, { retryable: true })
}

/** How long to wait before another try; undefined when there is to be none. */
function waitBefore(attempt: number, error: ModelError, { maxRetries, backoffMs, maxWaitMs }: ModelPatience): number | undefined {
  if (!error.retryable || attempt > maxRetries) return undefined
  if (error.retryAfterMs !== undefined) return error.retryAfterMs <= maxWaitMs ? error.retryAfterMs : undefined
  return Math.min(maxWaitMs, Math.round(backoffMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2)))
}

/** @returns false when the caller did not want to wait. */
function pause({ clock, signal }: ModelAsker, waitMs: number): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const stop = () => {
      cancel()
      resolve(false)
    }
    const cancel = clock.after(waitMs, () => {
      signal.removeEventListener('abort', stop)
      resolve(true)
    })
    signal.addEventListener('abort', stop, { once: true })
  })
}

function toModelError(thrown: unknown): ModelError {
  if (isModelError(thrown)) return thrown
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  return new ModelError('MODEL_FAILED', `The model could not be asked: ${why}`, { retryable: false, cause: thrown })
}
