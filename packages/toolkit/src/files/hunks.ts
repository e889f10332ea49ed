const CONTEXT_LINES = 3
/** UTF-16 units of all hunks together. */
const MAX_CHARS = 65_536

/** A stretch of a text, and what stands in its place in the new one. */
export interface Change {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

/** Changed lines and those around them. A type, as it is JSON. */
export type Hunk = {
  /** 1-based number of its first line in the new text. */
  readonly line: number
  readonly oldText: string
  readonly newText: string
}

/** What a program gets and a person sees of a change to a file. */
export interface Hunks {
  readonly hunks: readonly Hunk[]
  /** Hunks that found no room. */
  readonly omittedHunks?: number
}

/** The schema of {@link Hunks}, for the properties of a value. */
export const HUNKS_SCHEMA = {
  hunks: {
    type: 'array',
    required: true,
    description: 'The changed lines with three lines of context, as they were and as they are.',
    items: {
      type: 'object',
      additionalProperties: false,
      properties: {
        line: { type: 'integer', required: true, description: 'Number of the first line in the new text.' },
        oldText: { type: 'string', required: true },
        newText: { type: 'string', required: true },
      },
    },
  },
  omittedHunks: { type: 'integer', description: 'Hunks left out, because all of them together are too long.' },
} as const

/** The lines around each change, as they were and as they are, with three lines of context; changes that are near each other share a hunk. */
export function hunksOf(oldText: string, newText: string, changes: readonly Change[]): Hunks {
  const hunks: Hunk[] = []
  const all = groupNear(oldText, newText, changes)
  let room = MAX_CHARS
  let line = 1
  let counted = 0
  for (const { oldStart, oldEnd, newStart, newEnd } of all) {
    room -= oldEnd - oldStart + newEnd - newStart
    if (room < 0) return { hunks, omittedHunks: all.length - hunks.length }
    line += breaksIn(newText, counted, newStart)
    counted = newStart
    hunks.push({ line, oldText: oldText.slice(oldStart, oldEnd), newText: newText.slice(newStart, newEnd) })
  }
  return { hunks }
}

/** How many line breaks stand between two places of a text. */
export function breaksIn(text: string, start: number, end: number): number {
  let breaks = 0
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) breaks++
  return breaks
}

/** The one stretch in which two texts differ; undefined where they do not. */
export function changeBetween(oldText: string, newText: string): Change | undefined {
  if (oldText === newText) return undefined
  const shorter = Math.min(oldText.length, newText.length)
  let head = 0
  while (head < shorter && oldText.charCodeAt(head) === newText.charCodeAt(head)) head++
  let tail = 0
  while (tail < shorter - head && oldText.charCodeAt(oldText.length - 1 - tail) === newText.charCodeAt(newText.length - 1 - tail)) tail++
  return { oldStart: head, oldEnd: oldText.length - tail, newStart: head, newEnd: newText.length - tail }
}

function groupNear(oldText: string, newText: string, changes: readonly Change[]): Change[] {
  const groups: Change[] = []
  for (const change of changes) {
    const hunk = withContext(oldText, newText, change)
    const last = groups.at(-1)
    if (last !== undefined && hunk.oldStart <= last.oldEnd)
      groups[groups.length - 1] = { ...hunk, oldStart: last.oldStart, newStart: last.newStart }
    else groups.push(hunk)
  }
  return groups
}

/** Whole lines, and some before and after. What stands around a change is the same in both texts, and so is its length. */
function withContext(oldText: string, newText: string, change: Change): Change {
  const before = change.oldStart - linesBack(oldText, change.oldStart)
  const isAtLineStart = (text: string, at: number) => at === 0 || text.charCodeAt(at - 1) === 10
  const endsWithLine = isAtLineStart(oldText, change.oldEnd) && isAtLineStart(newText, change.newEnd)
  const after = linesOn(oldText, change.oldEnd, endsWithLine ? CONTEXT_LINES : CONTEXT_LINES + 1) - change.oldEnd
  return {
    oldStart: change.oldStart - before,
    oldEnd: change.oldEnd + after,
    newStart: change.newStart - before,
    newEnd: change.newEnd + after,
  }
}

/** Where the third line before the one of a position begins. */
function linesBack(text: string, from: number): number {
  let start = from
  for (let line = 0; line <= CONTEXT_LINES; line++) {
    if (start === 0) return 0
    start = line === 0 && text.charCodeAt(start - 1) === 10 ? start : text.lastIndexOf('\n', line === 0 ? start - 1 : start - 2) + 1
  }
  return start
}

/** Where so many lines from a position on end. */
function linesOn(text: string, from: number, lines: number): number {
  let end = from
  for (let line = 0; line < lines && end < text.length; line++) {
    const next = text.indexOf('\n', end)
    end = next === -1 ? text.length : next + 1
  }
  return end
}
