import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'

/** Throw what is wrong with a configuration, all at once. @param what - cannot be set up. @throws TypeError unless there is no problem. */
export function assertNoProblems(what: string, problems: Iterable<string>): void {
  const all = [...problems]
  if (all.length > 0) throw new TypeError(`${what} cannot be set up:\n${all.map((problem) => `  - ${problem}`).join('\n')}`)
}

/** What is wrong with a root: an absolute path of a folder that exists. */
export function* rootProblems(root: unknown): Generator<string> {
  if (typeof root !== 'string' || root === '') yield 'root must be the absolute path of the workspace folder'
  else if (!isAbsolute(root)) yield `root must be absolute, and ${JSON.stringify(root)} is not`
  else if (root.includes('\0')) yield 'root holds a NUL character'
  else if (!isFolder(root)) yield `root must be a folder that exists, and ${JSON.stringify(root)} is not`
}

/** What is wrong with limits: whole numbers from 1 on, by the names of their defaults. */
export function* limitProblems(limits: unknown, defaults: object): Generator<string> {
  if (limits === undefined) return
  if (!isRecord(limits)) {
    yield 'limits must be an object'
    return
  }
  yield* unknownKeys(limits, Object.keys(defaults), 'limits.')
  for (const name of Object.keys(defaults)) {
    const limit = limits[name]
    if (name in limits && !(Number.isSafeInteger(limit) && (limit as number) >= 1)) yield `limits.${name} must be a whole number from 1 on`
  }
}

/** Keys that are no settings. */
export function* unknownKeys(record: object, known: readonly string[], prefix: string): Generator<string> {
  for (const key of Object.keys(record)) {
    if (!known.includes(key)) yield `${prefix}${key} is not a setting; there are ${known.join(', ')}`
  }
}

/** Whether a value has settings by name: a list has none. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false // missing, or behind a folder that this user may not enter: no tool can work in it
  }
}
