import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'

/** What the file tools show at most. Whole numbers from 1 on. */
export interface FileToolsLimits {
  /** Lines `read` shows; 2,000. */
  readonly readLines?: number
  /** Characters (UTF-16 units) of one line `read` shows; 2,000. */
  readonly readLineChars?: number
  /** Bytes of text `read` shows; 51,200. One line is always shown. */
  readonly readBytes?: number
  /** Paths `glob` shows; 100. */
  readonly globPaths?: number
  /** Matching lines `grep` shows; 250. */
  readonly grepMatches?: number
  /** Characters (UTF-16 units) of one line `grep` shows; 2,000. */
  readonly grepLineChars?: number
  /** Bytes of a file that `edit` changes, and of one whose form `write` keeps; 67,108,864. */
  readonly editBytes?: number
}

/** Where the file tools work, and within which limits. */
export interface FileToolsConfig {
  /** Absolute folder. Nothing outside it can be reached, not even through symbolic links. */
  readonly root: string
  /** Leave out the tools that change files; false. */
  readonly readOnly?: boolean
  readonly limits?: FileToolsLimits
}

/** A configuration that has been checked, with all its limits. */
export interface CheckedConfig {
  readonly root: string
  readonly readOnly: boolean
  readonly limits: Required<FileToolsLimits>
}

const DEFAULTS: Required<FileToolsLimits> = {
  readLines: 2_000,
  readLineChars: 2_000,
  readBytes: 51_200,
  globPaths: 100,
  grepMatches: 250,
  grepLineChars: 2_000,
  editBytes: 67_108_864,
}

/** Check a configuration that may come from anywhere. @throws TypeError that lists every problem at once. */
export function checkConfig(config: FileToolsConfig): CheckedConfig {
  const given: unknown = config
  const problems = isRecord(given)
    ? [
        ...unknownKeys(given, ['root', 'readOnly', 'limits'], ''),
        ...rootProblems(given['root']),
        ...readOnlyProblems(given['readOnly']),
        ...limitProblems(given['limits'], DEFAULTS),
      ]
    : ['it must be an object: { root: "/absolute/folder" }']
  if (problems.length > 0) {
    throw new TypeError(`The file tools cannot be set up:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
  return { root: config.root, readOnly: config.readOnly === true, limits: { ...DEFAULTS, ...config.limits } }
}

function* rootProblems(root: unknown): Generator<string> {
  if (typeof root !== 'string' || root === '') yield 'root must be the absolute path of the workspace folder'
  else if (!isAbsolute(root)) yield `root must be absolute, and ${JSON.stringify(root)} is not`
  else if (root.includes('\0')) yield 'root holds a NUL character'
  else if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    yield `root must be a folder that exists, and ${JSON.stringify(root)} is not`
  }
}

function* readOnlyProblems(readOnly: unknown): Generator<string> {
  if (readOnly !== undefined && typeof readOnly !== 'boolean') yield 'readOnly must be true or false'
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
