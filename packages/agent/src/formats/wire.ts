import type { ContentBlock } from '@dsh/tools'

/** An object as a client or a provider gives it: of any shape. */
export type Wire = Readonly<Record<string, unknown>>

/** The result of a call as it is read back from a wire format. */
export interface WireResult {
  readonly callId: string
  /** False where the format cannot say it. */
  readonly isError: boolean
  readonly content: ContentBlock[]
}

/** @throws TypeError naming the place. */
export function objectAt(value: unknown, place: string): Wire {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Wire
  throw new TypeError(`${place} must be an object, and is ${nameOf(value)}.`)
}

/** @throws TypeError naming the place. */
export function listAt(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new TypeError(`${place} must be a list, and is ${nameOf(value)}.`)
}

/** @throws TypeError naming the place. */
export function textAt(value: unknown, place: string): string {
  if (typeof value === 'string') return value
  throw new TypeError(`${place} must be a text, and is ${nameOf(value)}.`)
}

/** What a value is, in words: clients give promises of what they stream, and it is easy to forget to await them. */
function nameOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'object') return typeof value
  return 'then' in value ? 'a promise: await it first' : 'an object'
}
