import { count } from '../text/count.ts'
import { printablePath } from '../text/printable-path.ts'
import { numberedLine } from './read-line.ts'
import type { ReadValue } from './read-value.ts'

/** A window as numbered lines, with a last line that says what is left out and how to get it. */
export function renderRead(value: ReadValue): string {
  const lines = value.lines.map(numberedLine)
  const rest = restNote(value)
  return (rest === undefined ? lines : [...lines, rest]).join('\n')
}

function restNote(value: ReadValue): string | undefined {
  const { totalLines, nextOffset } = value
  if (totalLines === undefined) {
    return `[more lines follow, in ${count(value.sizeBytes, 'byte')} of the whole file: call read with offset ${nextOffset}]`
  }
  if (nextOffset !== undefined) {
    const range = nextOffset === totalLines ? `line ${totalLines}` : `lines ${nextOffset}-${totalLines}`
    return `[${range} not shown: call read with offset ${nextOffset}]`
  }
  if (value.lines.length > 0) return undefined
  if (totalLines === 0) return `[${printablePath(value.path)} is empty]`
  return `[${printablePath(value.path)} has ${count(totalLines, 'line')}, none at offset ${value.offset}: call read with an offset up to ${totalLines}]`
}
