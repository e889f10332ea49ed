import { assertNoProblems, isRecord, limitProblems, rootProblems, unknownKeys } from './config-problems.ts'

/** What the file tools show at most. Whole numbers from 1 on. */
export interface FileToolsLimits {
  /** Lines `read` shows; 2,000. */
  readonly readLines?: number
  /** Characters (UTF-16 units) of one line `read` shows; 2,000. */
  readonly readLineChars?: number
  /** Bytes of text `read` shows, line numbers included; 49,152. One line is always shown. */
  readonly readBytes?: number
  /** Bytes of an image `read` shows; 3,932,160, whose base64 is the 5 MiB that models take at most. */
  readonly readImageBytes?: number
  /** Pixels of the longer side of an image `read` shows; 8,000, which models take at most. */
  readonly readImageSide?: number
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
  readBytes: 49_152, // with the last line, which says where to read on, a page stays below the 50,000 bytes of the spill policy
  readImageBytes: 3_932_160,
  readImageSide: 8_000,
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
  assertNoProblems('The file tools', problems)
  return { root: config.root, readOnly: config.readOnly === true, limits: { ...DEFAULTS, ...config.limits } }
}

function* readOnlyProblems(readOnly: unknown): Generator<string> {
  if (readOnly !== undefined && typeof readOnly !== 'boolean') yield 'readOnly must be true or false'
}
