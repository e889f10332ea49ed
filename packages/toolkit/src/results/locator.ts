import { randomBytes } from 'node:crypto'

const RANDOM_BYTES = 12
const SHAPE = /^result-[0-9a-f]{24}$/

/**
 * A locator that nobody can guess: 96 random bits. Whoever has it may read the result, so that an agent can hand it to a child; whoever
 * was never told it cannot. Lower case only: some file systems take upper and lower case for the same name.
 */
export function createLocator(): string {
  return `result-${randomBytes(RANDOM_BYTES).toString('hex')}`
}

/** Whether a text could be a locator. What is none must never become part of a path. */
export function isLocator(text: string): boolean {
  return SHAPE.test(text)
}
