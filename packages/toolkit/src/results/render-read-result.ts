import { numberedLine } from '../read/read-line.ts'
import { shownMatch } from '../search/render-grep.ts'
import { count } from '../text/count.ts'
import type { FoundValue, ReadResultValue } from './read-result-value.ts'

/** Numbered lines, or values as one line of JSON each, and a last line that says what is left out and how to get it. */
export function renderReadResult(value: ReadResultValue): string {
  const { lines, matches, values } = value
  const shown = [
    ...(lines ?? []).map(numberedLine),
    ...(matches ?? []).map((match) => `${match.line}\t${shownMatch(match)}`),
    ...(values ?? []).map(shownValue),
  ]
  const note = restNote(value, shown.length)
  return [...shown, ...(note === undefined ? [] : [note])].join('\n')
}

function shownValue({ path, value, tooLong }: FoundValue): string {
  return value === undefined ? `[${path} is ${tooLong}, too long to show: query a part of it]` : JSON.stringify(value)
}

function restNote({ offset, total, nextOffset, missing, lines, matches }: ReadResultValue, shown: number): string | undefined {
  const all = lines ? count(total, 'line') : count(total, matches ? 'matching line' : 'value')
  if (nextOffset !== undefined) return `[${shown} of ${all} shown: call read_result with offset ${nextOffset} for the next]`
  if (missing !== undefined) return `[nothing found: ${missing}]`
  if (shown === 0) return total === 0 ? `[${all}]` : `[${all}, none at offset ${offset}: use an offset up to ${total}]`
  return lines ? undefined : `[${all}]`
}
