import { brand, isBranded } from '../json/brand.ts'
import { thrownText } from '../outcome/thrown.ts'
import type { Listener } from './listeners.ts'

/** A listener broke: it threw, answered nonsense, or misused `next()`. Says which one. */
export class ListenerError extends Error {
  readonly label: string

  constructor(label: string, cause: unknown) {
    super(`The listener ${JSON.stringify(label)} failed: ${thrownText(cause)}`, { cause })
    this.name = 'ListenerError'
    this.label = label
  }
}
brand(ListenerError, 'ListenerError')

/** What differs between the waterfalls. */
export interface WaterfallRules<T> {
  /** Take an answer of a listener, or throw what is wrong with it. */
  readonly accept?: (answer: unknown) => T
  /** `next()` may be called again after it settled. By default a second call is an error of that listener. */
  readonly repeatable?: boolean
  /** Told before `next()` runs the rest once more. */
  readonly onRepeat?: () => void
  /** Turn a broken listener into an answer for the one around it. By default the whole waterfall fails, whatever the ones around do. */
  readonly recover?: (error: ListenerError) => T
}

/**
 * Compose listeners around `last`, the first one outermost. Settles only when every `next()` that was called has settled,
 * also when the listener did not wait for it.
 */
export async function runWaterfall<T>(
  listeners: readonly Listener[],
  self: unknown,
  args: readonly unknown[],
  last: () => T | Promise<T>,
  rules: WaterfallRules<T> = {},
): Promise<T> {
  let broken: ListenerError | undefined
  const from = async (index: number): Promise<T> => {
    const listener = listeners[index]
    if (listener === undefined) return last()
    const rest = new Rest(() => from(index + 1), rules.repeatable === true, rules.onRepeat)
    const outcome = await attempt(listener, self, args, rest, rules.accept)
    await rest.close()
    const problem = rest.misuse ?? outcome.error
    if (problem === undefined) return outcome.answer as T
    const error = isBranded(problem, 'ListenerError') ? (problem as ListenerError) : new ListenerError(listener.label, problem)
    broken ??= error
    if (rules.recover) return rules.recover(error)
    throw error
  }
  const answer = await from(0)
  if (broken && !rules.recover) throw broken // a listener around the broken one may not hide it
  return answer
}

async function attempt(
  listener: Listener,
  self: unknown,
  args: readonly unknown[],
  rest: Rest<unknown>,
  accept: ((answer: unknown) => unknown) | undefined,
): Promise<{ readonly answer?: unknown; readonly error?: unknown }> {
  try {
    const answer = await listener.call.call(self, ...args, rest.next)
    return { answer: accept ? accept(answer) : answer }
  } catch (error) {
    return { error: error ?? new Error('It threw nothing.') }
  }
}

/** The rest of a waterfall, as one listener may call it. */
class Rest<T> {
  readonly #run: () => Promise<T>
  readonly #repeatable: boolean
  readonly #onRepeat: (() => void) | undefined
  #running: Promise<unknown> | undefined
  #called = false
  #closed = false
  misuse: Error | undefined

  constructor(run: () => Promise<T>, repeatable: boolean, onRepeat: (() => void) | undefined) {
    this.#run = run
    this.#repeatable = repeatable
    this.#onRepeat = onRepeat
  }

  readonly next = (): Promise<T> => {
    if (this.#closed) return rejected(new Error('next() was called after its listener had settled; nothing was run.'))
    if (this.#running !== undefined || (this.#called && !this.#repeatable)) {
      const how = this.#repeatable ? 'while an earlier call was still running' : 'more than once'
      this.misuse ??= new Error(`It called next() ${how}.`)
      return rejected(this.misuse)
    }
    if (this.#called) this.#onRepeat?.()
    this.#called = true
    const answer = this.#run()
    const settled = () => {
      this.#running = undefined
    }
    this.#running = answer.then(settled, settled)
    return answer
  }

  /** The listener has settled: it can start nothing any more. Settles when nothing it did start is running. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#running !== undefined) await this.#running
  }
}

/** A rejection that is no unhandled one when the listener does not look at it. */
function rejected<T>(error: Error): Promise<T> {
  const rejection = Promise.reject<T>(error)
  rejection.catch(() => undefined) // told to whoever awaits it; a misuse is kept in `misuse` besides
  return rejection
}

/** Call every listener. Failures, also of those that answer with a promise, go to `onError` and stop nobody. */
export function emit(
  listeners: readonly Listener[],
  self: unknown,
  args: readonly unknown[],
  onError: (error: ListenerError) => void,
): Promise<void> | undefined {
  let pending: Promise<unknown>[] | undefined
  for (const listener of listeners) {
    const fail = (error: unknown) => onError(new ListenerError(listener.label, error))
    try {
      const answer = listener.call.apply(self, args as unknown[])
      if (isThenable(answer)) {
        pending ??= []
        pending.push(Promise.resolve(answer).catch(fail))
      }
    } catch (error) {
      fail(error)
    }
  }
  return pending && Promise.all(pending).then(() => undefined)
}

/** Whether a value is a promise of any kind. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}
