import { InvalidArgumentError } from 'commander'

/** A timer cannot be set for longer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Gather an option that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value]
}

/** Read milliseconds of the command line. @throws InvalidArgumentError */
export function timeout(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= MAX_TIMEOUT_MS)) throw new InvalidArgumentError(`It must be milliseconds, up to ${MAX_TIMEOUT_MS}.`)
  return value
}

/** Read a number of the command line. @throws InvalidArgumentError */
export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!(Number.isSafeInteger(value) && value > 0)) throw new InvalidArgumentError('It must be a whole number from 1 on.')
  return value
}
