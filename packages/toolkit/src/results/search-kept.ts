import { tmpdir } from 'node:os'
import type { KeptResult } from '@dsh/tools/ports'
import { checkPattern } from '../search/grep-pattern.ts'
import type { GrepMatch } from '../search/grep-value.ts'
import { invalidRegex } from '../search/invalid-regex.ts'
import { type RgRecord, toLineMatch } from '../search/match-record.ts'
import { MatchShortener } from '../search/match-shortener.ts'
import { RecordSplitter } from '../search/record-splitter.ts'
import { ripgrep } from '../search/ripgrep.ts'
import { MAX_BYTES, type PartAsked } from './read-kept.ts'

const MAX_RECORD_BYTES = 262_144
const MAX_LINE_CHARS = 500
const NEWLINE = 0x0a
const MATCH_PREFIX = Buffer.from('{"type":"match"')

/** What to search for. */
export interface KeptSearch extends PartAsked {
  readonly pattern: string
  readonly literal: boolean
  readonly ignoreCase: boolean
}

interface FoundLines {
  readonly matches: readonly GrepMatch[]
  readonly total: number
  readonly nextOffset?: number
}

/**
 * Lines of the kept text that a pattern matches. ripgrep searches them, in linear time whatever the pattern, while the text streams by.
 * @throws ToolError INVALID_PATTERN, SEARCH_FAILED; the signal's reason.
 */
export async function searchKept(kept: KeptResult, search: KeptSearch, signal: AbortSignal): Promise<FoundLines> {
  const pattern = checkPattern(search.pattern)
  const matches: GrepMatch[] = []
  let total = 0
  let bytes = 0
  let reachedSummary = false
  const splitter = new RecordSplitter({
    separator: NEWLINE,
    maxBytes: MAX_RECORD_BYTES,
    createShortener: () => new MatchShortener(),
    onRecord(record, shortened) {
      if (!record.subarray(0, MATCH_PREFIX.length).equals(MATCH_PREFIX)) {
        reachedSummary ||= (JSON.parse(record.toString()) as RgRecord).type === 'summary'
        return
      }
      total++
      if (total < search.offset || matches.length === search.limit || bytes > MAX_BYTES) return
      const { data } = JSON.parse(record.toString()) as RgRecord & { type: 'match' }
      const { far: _, ...match } = toLineMatch(data, shortened, MAX_LINE_CHARS)
      bytes += Buffer.byteLength(match.text) + 1
      if (bytes <= MAX_BYTES) matches.push(match)
    },
  })
  const flags = [
    '--json',
    '--crlf',
    '--text',
    '--encoding=none',
    ...(search.literal ? ['--fixed-strings'] : []),
    search.ignoreCase ? '--ignore-case' : '--case-sensitive',
    `--regexp=${pattern}`,
  ]
  const end = await ripgrep({ flags, folder: tmpdir(), input: kept.text(), signal, onStdout: (chunk) => splitter.push(chunk) })
  if (end.hadProblems && !reachedSummary) throw invalidRegex(pattern, end.stderr)
  const next = search.offset + matches.length
  return { matches, total, ...(next <= total && { nextOffset: next }) }
}
