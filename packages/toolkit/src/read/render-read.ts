import type { ContentBlock } from '@dsh/tools'
import { count } from '../text/count.ts'
import { printablePath } from '../text/printable-path.ts'
import { imageText, type ReadImageValue } from './image-value.ts'
import { numberedLine } from './read-line.ts'
import { isImageValue, type ReadValue } from './read-value.ts'

/** What a model reads: the window of a text, or an image with a line that says what it is. */
export function renderRead(value: ReadValue | ReadImageValue): ContentBlock[] {
  if (!isImageValue(value)) return [{ type: 'text', text: windowText(value) }]
  const { path, mediaType, data } = value
  return [
    { type: 'text', text: `${printablePath(path)}: ${imageText(value)}` },
    { type: 'image', mediaType, data },
  ]
}

/** A window as numbered lines, with a last line that says what is left out and how to get it. */
function windowText(value: ReadValue): string {
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
