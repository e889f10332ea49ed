import type { Change } from '../files/hunks.ts'

/** A stretch of a text, and what it becomes. */
export interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Replace stretches of a text, sorted and apart. */
export function replaceStretches(text: string, replacements: readonly Replacement[]): string {
  const parts: string[] = []
  let copied = 0
  for (const { start, end, text: now } of replacements) {
    parts.push(text.slice(copied, start), now)
    copied = end
  }
  parts.push(text.slice(copied))
  return parts.join('')
}

/**
 * What changed in all, when a text in which `changes` were made is changed once more. Changes that overlap or touch become one.
 * @param replacements - sorted and apart, in the text that `changes` led to.
 */
export function withReplacements(changes: readonly Change[], replacements: readonly Replacement[]): Change[] {
  const merged: Change[] = []
  const before = { grown: 0 } // how much longer the text was already, up to here
  const now = { grown: 0 } // how much longer it becomes
  let one = 0
  let other = 0
  while (one < changes.length || other < replacements.length) {
    let end = Math.min(changes[one]?.newStart ?? Number.POSITIVE_INFINITY, replacements[other]?.start ?? Number.POSITIVE_INFINITY)
    const start = { old: end - before.grown, new: end + now.grown }
    for (let isGrowing = true; isGrowing; ) {
      const change = changes[one]
      const replacement = replacements[other]
      isGrowing = false
      if (change !== undefined && change.newStart <= end) {
        end = Math.max(end, change.newEnd)
        before.grown += change.newEnd - change.newStart - (change.oldEnd - change.oldStart)
        one++
        isGrowing = true
      }
      if (replacement !== undefined && replacement.start <= end) {
        end = Math.max(end, replacement.end)
        now.grown += replacement.text.length - (replacement.end - replacement.start)
        other++
        isGrowing = true
      }
    }
    merged.push({ oldStart: start.old, oldEnd: end - before.grown, newStart: start.new, newEnd: end + now.grown })
  }
  return merged
}
