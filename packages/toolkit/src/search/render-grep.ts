import type { JsonValue } from '@dsh/tools'
import { count } from '../text/count.ts'
import { cutAround } from '../text/cut.ts'
import { printablePath } from '../text/printable-path.ts'
import type { GrepFile, GrepMatch, GrepValue } from './grep-value.ts'
import { problemLines } from './problem-lines.ts'

/** A card is a glance, and is logged beside the content: its lines are shorter. */
const MAX_CARD_CHARS = 300

/** Matching lines under the path of their file, and a last line that says how many there are. */
export function renderGrep(pattern: string, value: GrepValue): string {
  const files = value.files.flatMap((file) => [
    printablePath(file.path),
    ...file.matches.map((match) => `${match.line}\t${shownMatch(match)}`),
    '',
  ])
  return [...files, summary(pattern, value), ...problemLines(value.problems)].join('\n')
}

/** The matches as a card has them: `SearchFileMatches`, as JSON. */
export function cardFiles(files: readonly GrepFile[]): JsonValue {
  return files.map(({ path, matches }) => ({ path, matches: matches.map((match) => ({ lineNumber: match.line, line: cardLine(match) })) }))
}

function cardLine(match: GrepMatch): string {
  const shown = shownMatch(match)
  return cutAround(shown, { start: Math.floor(shown.length / 2), length: 0 }, MAX_CARD_CHARS).text
}

function summary(pattern: string, { path, files, total, totalFiles, truncated }: GrepValue): string {
  const all = `${count(total, 'matching line')} in ${count(totalFiles, 'file')}`
  if (truncated) {
    const shown = files.reduce((sum, file) => sum + file.matches.length, 0)
    return `[${shown} of ${all} shown: narrow the pattern, the path or the glob to see the others]`
  }
  if (total > 0) return `[${all}]`
  return `[0 matching lines: nothing in ${printablePath(path)} fits ${JSON.stringify(pattern)}; ignored, hidden and binary files are left out]`
}

/** A matching line as it is shown: with marks where it was cut. */
export function shownMatch({ text, cut }: GrepMatch): string {
  const before = cut === 'start' || cut === 'both' ? '[...] ' : ''
  const after = cut === 'end' || cut === 'both' ? ' [...]' : ''
  return `${before}${text}${after}`
}
