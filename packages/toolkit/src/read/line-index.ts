import type { BigIntStats } from 'node:fs'

/** Where a line begins. */
export interface LineStart {
  /** 1-based. */
  readonly line: number
  /** In bytes from the beginning of the file. */
  readonly offset: number
}

const MAX_FILES = 16
const STEP_BYTES = 131_072
/** As coarse as the clocks of file systems are: a younger file may change once more and look the same. */
const SETTLED_MS = 2_000

/** Remembers where some lines of large files begin, so that who reads on does not count lines anew. Bounded; the file read last stays longest. */
export class LineIndex {
  readonly #files = new Map<string, LineStart[]>()

  /** The starts known of a file as it is now, to be added to in ascending order; a list for this once when the file may still change unseen. */
  startsOf(stats: BigIntStats): LineStart[] {
    if (Date.now() - Number(stats.mtimeMs) < SETTLED_MS) return []
    const version = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':')
    const starts = this.#files.get(version) ?? []
    this.#files.delete(version)
    this.#files.set(version, starts)
    if (this.#files.size > MAX_FILES) this.#files.delete(this.#files.keys().next().value as string)
    return starts
  }
}

/** The last start that is known at or before a line. */
export function nearestStart(starts: readonly LineStart[], line: number): LineStart | undefined {
  return starts.findLast((start) => start.line <= line)
}

/** Note a start when it lies far enough behind the last one. */
export function noteStart(starts: LineStart[], start: LineStart): void {
  if (start.offset >= (starts.at(-1)?.offset ?? 0) + STEP_BYTES) starts.push(start)
}
