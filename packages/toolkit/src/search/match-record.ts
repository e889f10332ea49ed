import { type CutText, cutAround } from '../text/cut.ts'

/** Text as ripgrep's JSON has it: bytes in base64 when it is not UTF-8. */
type RgText = { readonly text: string } | { readonly bytes: string }

/** The records of `rg --json` that a search looks at. */
export type RgRecord =
  | { readonly type: 'begin'; readonly data: { readonly path: RgText } }
  | { readonly type: 'match'; readonly data: RgMatch }
  | {
      readonly type: 'end'
      readonly data: { readonly path: RgText; readonly binary_offset: number | null; readonly stats: { readonly matched_lines: number } }
    }
  | { readonly type: 'summary' }

interface RgMatch {
  readonly lines: RgText
  readonly line_number: number
  readonly absolute_offset: number
  readonly submatches: readonly { readonly match: RgText; readonly start: number; readonly end: number }[]
}

/** One matching line, cut to size. */
export interface LineMatch extends CutText {
  /** 1-based. */
  readonly line: number
  /** Where to find the surroundings of the match in the file, when the record had to be shortened. */
  readonly far?: FarMatch
}

/** A match in a line too long to be passed on whole. Offsets are bytes of the file. */
export interface FarMatch {
  readonly lineOffset: number
  readonly matchOffset: number
  /** The beginning of the match, to tell whether the offsets lead to the right place. */
  readonly head: string
}

const HEAD_CHARS = 64

/** The text, with U+FFFD where it is not UTF-8. */
export function plainText(text: RgText): string {
  return 'text' in text ? text.text : Buffer.from(text.bytes, 'base64').toString()
}

/** Take what is shown of a match out of its record. */
export function toLineMatch(match: RgMatch, shortened: boolean, maxChars: number): LineMatch {
  const first = match.submatches[0]
  const start = first?.start ?? 0
  const line = match.line_number
  if (shortened) {
    const matched = first === undefined ? '' : plainText(first.match)
    const far = { lineOffset: match.absolute_offset, matchOffset: match.absolute_offset + start, head: matched.slice(0, HEAD_CHARS) }
    return { line, ...cutAround(matched, { start: 0, length: matched.length }, maxChars), cut: 'both', far }
  }
  const text = plainText(match.lines).replace(/\r?\n$/, '')
  if (text.length <= maxChars) return { line, text }
  const length = first === undefined ? 0 : plainText(first.match).length
  return { line, ...cutAround(text, { start: charsBefore(match.lines, start), length }, maxChars) }
}

/** ripgrep counts bytes, JavaScript UTF-16 units. */
function charsBefore(text: RgText, byteOffset: number): number {
  const bytes = 'text' in text ? Buffer.from(text.text) : Buffer.from(text.bytes, 'base64')
  return bytes.subarray(0, byteOffset).toString().length
}
