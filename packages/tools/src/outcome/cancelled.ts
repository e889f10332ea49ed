import { readField } from './thrown.ts'

/**
 * Whether what a body threw is the cancellation itself: the reason of the signal, or the `AbortError` that platforms make of
 * it. Anything else is a failure of its own, and says more.
 */
export function isCancellation(thrown: unknown, reason: unknown): boolean {
  if (thrown === reason) return true
  if (typeof thrown !== 'object' || thrown === null) return false
  return readField(thrown, 'name') === 'AbortError' || readField(thrown, 'code') === 'ABORT_ERR' || readField(thrown, 'cause') === reason
}
