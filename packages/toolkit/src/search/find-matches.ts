import { printablePath } from '../text/printable-path.ts'
import type { GlobPattern } from './glob-pattern.ts'
import { invalidRegex } from './invalid-regex.ts'
import { byCodeUnit, KeepSmallest } from './keep-smallest.ts'
import { type LineMatch, plainText, type RgRecord, toLineMatch } from './match-record.ts'
import { MatchShortener } from './match-shortener.ts'
import { RecordSplitter } from './record-splitter.ts'
import { problemsOf, type RipgrepEnd, ripgrep } from './ripgrep.ts'
import { narrowingFlags, type SearchPlace, withoutDotSlash } from './search-folder.ts'

const MAX_RECORD_BYTES = 262_144
const MAX_NOTES = 5
const MATCH_PREFIX = Buffer.from('{"type":"match"')
const NEWLINE = 0x0a

/** What to look for. */
export interface MatchQuery {
  readonly pattern: string
  readonly literal: boolean
  readonly ignoreCase: boolean
  /** Only files whose path below the searched folder it matches. */
  readonly glob?: GlobPattern
  readonly maxMatches: number
  readonly maxLineChars: number
}

/** One matching line and its file. */
export interface FileLineMatch extends LineMatch {
  readonly path: string
}

/** The lines a pattern matches. */
export interface FoundMatches {
  /** The first of them, by path and line. */
  readonly matches: readonly FileLineMatch[]
  /** All matching lines. */
  readonly total: number
  readonly totalFiles: number
  /** What could not be searched, or not to its end. */
  readonly problems: readonly string[]
}

/**
 * Search the contents of files.
 * @throws ToolError INVALID_PATTERN with ripgrep's reason, SEARCH_FAILED; the signal's reason.
 */
export async function findMatches(place: SearchPlace, query: MatchQuery, signal: AbortSignal): Promise<FoundMatches> {
  const collector = new MatchCollector(place, query)
  const splitter = new RecordSplitter({
    separator: NEWLINE,
    maxBytes: MAX_RECORD_BYTES,
    createShortener: () => new MatchShortener(),
    onRecord: (record, shortened) => collector.take(record, shortened),
  })
  const file = place.file === undefined ? {} : { file: place.file }
  const run = { flags: searchFlags(query), folder: place.folder, signal, onStdout: (chunk: Buffer) => splitter.push(chunk), ...file }
  const end = await ripgrep(run)
  if (end.hadProblems && !collector.reachedSummary) throw invalidRegex(query.pattern, end.stderr) // it gave up before it began
  return collector.result(end)
}

function searchFlags(query: MatchQuery): string[] {
  return [
    '--json',
    '--crlf',
    ...(query.literal ? ['--fixed-strings'] : []),
    query.ignoreCase ? '--ignore-case' : '--case-sensitive',
    ...narrowingFlags(query.glob),
    `--regexp=${query.pattern}`,
  ]
}

/** Follows ripgrep's records. Those of one file come together, in the order of its lines; files come in any order. */
class MatchCollector {
  reachedSummary = false
  readonly #place: SearchPlace
  readonly #query: MatchQuery
  readonly #kept: KeepSmallest<FileLineMatch>
  readonly #notes: string[] = []
  #path: string | undefined
  #total = 0
  #totalFiles = 0

  constructor(place: SearchPlace, query: MatchQuery) {
    this.#place = place
    this.#query = query
    this.#kept = new KeepSmallest(query.maxMatches, byPathAndLine)
  }

  take(bytes: Buffer, shortened: boolean): void {
    if (bytes.subarray(0, MATCH_PREFIX.length).equals(MATCH_PREFIX) && !this.#wantsMatch()) return
    const record = JSON.parse(bytes.toString()) as RgRecord
    if (record.type === 'summary') this.reachedSummary = true
    else if (record.type === 'begin') this.#path = this.#wantedPath(plainText(record.data.path))
    else if (this.#path === undefined) return
    else if (record.type === 'match') {
      this.#kept.add({ path: this.#path, ...toLineMatch(record.data, shortened, this.#query.maxLineChars) })
    } else this.#endFile(this.#path, record.data)
  }

  result(end: RipgrepEnd): FoundMatches {
    const problems = [...problemsOf(end), ...this.#notes.toSorted(byCodeUnit).slice(0, MAX_NOTES)]
    return { matches: this.#kept.sorted(), total: this.#total, totalFiles: this.#totalFiles, problems }
  }

  /** Matches that can neither be counted nor kept are not worth parsing: their number comes with the end of the file. */
  #wantsMatch(): boolean {
    return this.#path !== undefined && this.#kept.wants({ path: this.#path, line: 0, text: '' })
  }

  #wantedPath(printed: string): string | undefined {
    const below = withoutDotSlash(printed)
    const wanted = this.#query.glob?.matches(below) ?? true
    return wanted ? this.#place.toWorkspacePath(below) : undefined
  }

  #endFile(path: string, end: (RgRecord & { type: 'end' })['data']): void {
    this.#total += end.stats.matched_lines
    this.#totalFiles++
    this.#path = undefined
    if (end.binary_offset !== null) {
      this.#notes.push(`${printablePath(path)}: binary from byte ${end.binary_offset} on, where the search of it ended`)
    }
  }
}

function byPathAndLine(a: FileLineMatch, b: FileLineMatch): number {
  return byCodeUnit(a.path, b.path) || a.line - b.line
}
