import { breaksIn } from '../files/hunks.ts'
import { safeEnd } from '../text/cut.ts'
import { findMatches, type TextPair, withLineFeeds } from './find-matches.ts'

/** In longer texts no line is compared: a hint is not worth the time. */
const MAX_COMPARED_CHARS = 2_097_152
const MAX_SHOWN_CHARS = 200
/** As `read` shows lines, or as other tools number them. */
const LINE_NUMBER = /^\s*\d+(?:\t|→|[:|] ?)/

/** Why a text may not stand in a file, and what to send instead. */
export function noMatchHint(text: string, original: string, { oldText }: TextPair): string {
  const stands = (wanted: string, where = text) => wanted !== '' && findMatches(where, { oldText: wanted, newText: '' }, 'one').length > 0
  if (text !== original && stands(oldText, original)) return 'An edit before it in this call has changed that text.'
  const lines = withLineFeeds(oldText).split('\n')
  if (
    lines.every((line) => line === '' || LINE_NUMBER.test(line)) &&
    stands(lines.map((line) => line.replace(LINE_NUMBER, '')).join('\n'))
  ) {
    return 'It begins lines with their numbers, as read shows them: send it without.'
  }
  if (stands(unescaped(oldText))) return 'It has escapes (\\n, \\t, \\") where the file has the characters themselves: send those.'
  if (text.length > MAX_COMPARED_CHARS) return 'Read the place again, and send its text as it is.'
  return whiteSpaceHint(text, lines) ?? nearestLineHint(text, lines) ?? 'Read the file, and send its text as it is.'
}

function unescaped(text: string): string {
  const meant: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', '"': '"', "'": "'", '\\': '\\' }
  const now = text.replace(/\\([ntr"'\\])/g, (_, sign: string) => meant[sign] as string)
  return now === text ? '' : now
}

/** Lines that are the same but for white space. */
function whiteSpaceHint(text: string, wanted: readonly string[]): string | undefined {
  const plain = (line: string) => line.trim().replace(/\s+/g, ' ')
  const lines = withLineFeeds(text).split('\n')
  const sought = trimBlank(wanted.map(plain))
  if (sought.length === 0) return undefined
  const all = `\n${lines.map(plain).join('\n')}\n` // one search in one text: to compare lines at each of them takes the square of the time
  const place = all.indexOf(`\n${sought.join('\n')}\n`)
  if (place === -1) return undefined
  const at = breaksIn(all, 0, place)
  const given = trimBlank(wanted)
  const differs = given.findIndex((line, offset) => line !== lines[at + offset])
  return differs === -1
    ? `It stands in line ${at + 1}, but with other white space around it.`
    : `It differs from line ${at + 1 + differs} in white space alone; that line is ${shown(lines[at + differs] as string)}.`
}

/** Where the longest of the lines stands, and the first line around it that is another. */
function nearestLineHint(text: string, wanted: readonly string[]): string | undefined {
  const longest = wanted.reduce((best, line) => (line.trim().length > best.trim().length ? line : best), '')
  const at = longest.trim().length < 4 ? -1 : text.indexOf(longest.trim())
  if (at === -1) return undefined
  const found = breaksIn(text, 0, at)
  const lines = withLineFeeds(text).split('\n')
  const start = found - wanted.indexOf(longest)
  const differs = wanted.findIndex((line, offset) => line !== lines[start + offset])
  const actual = lines[start + differs]
  if (differs === -1 || actual === undefined) return `The nearest place is line ${found + 1}: ${shown(lines[found] as string)}.`
  return `The nearest place is line ${found + 1}, but line ${start + differs + 1} is ${shown(actual)}.`
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line.trim() !== '')
  return start === -1 ? [] : lines.slice(start, 1 + lines.findLastIndex((line) => line.trim() !== ''))
}

function shown(line: string): string {
  return JSON.stringify(line.length <= MAX_SHOWN_CHARS ? line : `${line.slice(0, safeEnd(line, MAX_SHOWN_CHARS))}…`)
}
