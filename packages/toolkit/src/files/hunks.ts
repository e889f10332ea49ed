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

/**
 * Changes with the lines around them, those that are near each other as one. A text may have a million changes in one line: the lines
 * around a change are looked for only where what is known of them does not settle the matter.
 */
function groupNear(oldText: string, newText: string, changes: readonly Change[]): Change[] {
  const groups: Change[] = []
  let group: Change | undefined // from the beginning of its context to the end of its last change
  let reach = 0 // so far its context goes at least, in the old text
  for (const change of changes) {
    if (group !== undefined && change.oldStart > reach) reach = group.oldEnd + linesAfter(oldText, newText, group)
    const before: number = group !== undefined && change.oldStart <= reach ? 0 : change.oldStart - linesBack(oldText, change.oldStart)
    if (group !== undefined && change.oldStart - before <= reach) {
      group = { ...group, oldEnd: change.oldEnd, newEnd: change.newEnd }
      continue
    }
    if (group !== undefined) groups.push(withLinesAfter(oldText, newText, group))
    group = { ...change, oldStart: change.oldStart - before, newStart: change.newStart - before }
    reach = change.oldEnd
  }
  return group === undefined ? groups : [...groups, withLinesAfter(oldText, newText, group)]
}

/** What stands behind a change is the same in both texts, and so is its length. */
function withLinesAfter(oldText: string, newText: string, change: Change): Change {
  const after = linesAfter(oldText, newText, change)
  return { ...change, oldEnd: change.oldEnd + after, newEnd: change.newEnd + after }
}

/** Length of the rest of the line a change ends in, and of the lines behind it. */
function linesAfter(oldText: string, newText: string, { oldEnd, newEnd }: Change): number {
  const isAtLineStart = (text: string, at: number) => at === 0 || text.charCodeAt(at - 1) === 10
  const endsWithLine = isAtLineStart(oldText, oldEnd) && isAtLineStart(newText, newEnd)
  return linesOn(oldText, oldEnd, endsWithLine ? CONTEXT_LINES : CONTEXT_LINES + 1) - oldEnd
}

/** Where the third line before the one of a position begins. */
function linesBack(text: string, from: number): number {
  let start = lineStart(text, from)
  for (let line = 0; line < CONTEXT_LINES && start > 0; line++) start = lineStart(text, start - 1)
  return start
}

/** Where the line of a position begins. (From before the first character, `lastIndexOf` would look at the first.) */
function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
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
