import { isThenable } from '../scope/waterfall.ts'

/**
 * Take the answer of a callback that must answer at once.
 * @throws TypeError when it answered a promise. That one's own failure is the same misuse, and goes unheard.
 */
export function syncAnswer<T>(answer: T, what: string): T {
  if (!isThenable(answer)) return answer
  Promise.resolve(answer).catch(() => undefined)
  throw new TypeError(`${what} answered a promise: it must answer at once`)
}
