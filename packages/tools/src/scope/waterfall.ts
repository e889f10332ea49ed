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
export function runWaterfall<T>(
  listeners: readonly Listener[],
  self: unknown,
  args: readonly unknown[],
  last: () => T | Promise<T>,
  rules: WaterfallRules<T> = {},
): Promise<T> {
  return new Waterfall(listeners, self, args, last, rules).from(0)
}

class Waterfall<T> {
  readonly #listeners: readonly Listener[]
  readonly #self: unknown
  readonly #args: readonly unknown[]
  readonly #last: () => T | Promise<T>
  readonly rules: WaterfallRules<T>
  #broken: ListenerError | undefined

  constructor(
    listeners: readonly Listener[],
    self: unknown,
    args: readonly unknown[],
    last: () => T | Promise<T>,
    rules: WaterfallRules<T>,
  ) {
    this.#listeners = listeners
    this.#self = self
    this.#args = args
    this.#last = last
    this.rules = rules
  }

  /** The answer of the listener at `index`, with all that are further in as its `next()`. */
  from(index: number): Promise<T> {
    const listener = this.#listeners[index]
    return listener === undefined ? this.#end() : this.#ask(listener, index)
  }

  #end(): Promise<T> {
    try {
      return Promise.resolve(this.#last())
    } catch (error) {
      return rejected(error)
    }
  }

  /** Without a spread for the one or two arguments that our own events have: it costs as much as the call. */
  #call({ call }: Listener, next: () => Promise<T>): unknown {
    const args = this.#args
    if (args.length === 1) return call.call(this.#self, args[0], next)
    return args.length === 2 ? call.call(this.#self, args[0], args[1], next) : call.call(this.#self, ...args, next)
  }

  async #ask(listener: Listener, index: number): Promise<T> {
    const { accept, recover } = this.rules
    const rest = new Rest(this, index + 1)
    let answer: unknown
    let problem: unknown
    try {
      answer = await this.#call(listener, rest.next)
      if (accept) answer = accept(answer)
    } catch (error) {
      problem = error ?? new Error('It threw nothing.')
    }
    rest.closed = true // it can start nothing any more; what it did start is waited for
    if (rest.running) await rest.running
    problem = rest.misuse ?? problem
    if (problem !== undefined) {
      const error = isBranded(problem, 'ListenerError') ? (problem as ListenerError) : new ListenerError(listener.label, problem)
      this.#broken ??= error
      if (recover) return recover(error)
    }
    if (this.#broken && !recover) throw this.#broken // also when the broken one is further in: a listener around it may not hide it
    return answer as T
  }
}

/** The rest of a waterfall, as one listener may call it. */
class Rest<T> {
  readonly #waterfall: Waterfall<T>
  readonly #index: number
  #called = false
  /** Set while what `next()` started has not settled. */
  running: Promise<unknown> | undefined
  closed = false
  misuse: Error | undefined

  constructor(waterfall: Waterfall<T>, index: number) {
    this.#waterfall = waterfall
    this.#index = index
  }

  readonly next = (): Promise<T> => {
    const { repeatable, onRepeat } = this.#waterfall.rules
    if (this.closed) return rejected(new Error('next() was called after its listener had settled; nothing was run.'))
    if (this.running !== undefined || (this.#called && !repeatable)) {
      const how = repeatable ? 'while an earlier call was still running' : 'more than once'
      this.misuse ??= new Error(`It called next() ${how}.`)
      return rejected(this.misuse)
    }
    if (this.#called) onRepeat?.()
    this.#called = true
    const answer = this.#waterfall.from(this.#index)
    this.running = answer.then(this.#settled, this.#settled)
    return answer
  }

  readonly #settled = (): void => {
    this.running = undefined
  }
}

/** A rejection that is no unhandled one when the listener does not look at it. */
function rejected<T>(error: unknown): Promise<T> {
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
