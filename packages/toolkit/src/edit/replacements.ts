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

/** What replacements change: `newStart` and `newEnd` are places in the text that they make. */
export function changesOf(replacements: readonly Replacement[]): Change[] {
  let grown = 0
  return replacements.map(({ start, end, text }) => {
    const newStart = start + grown
    grown += text.length - (end - start)
    return { oldStart: start, oldEnd: end, newStart, newEnd: newStart + text.length }
  })
}

/** Collects what changed in all, when a text is changed again and again. */
export class ChangeLog {
  /** Adjacent spans of steps, each at least twice as long as the one behind it: so every change is merged only now and then. */
  readonly #spans: { readonly steps: number; readonly changes: readonly Change[] }[] = []

  /** @param changes - sorted and apart, of the text as the steps before have left it. */
  add(changes: readonly Change[]): void {
    let span = { steps: 1, changes }
    for (let last = this.#spans.at(-1); last !== undefined && last.steps <= span.steps; last = this.#spans.at(-1)) {
      this.#spans.pop()
      span = { steps: last.steps + span.steps, changes: composed(last.changes, span.changes) }
    }
    this.#spans.push(span)
  }

  /** From the first text to the last one. Changes that overlap or touch are one. */
  total(): readonly Change[] {
    return this.#spans.reduceRight<readonly Change[]>((later, { changes }) => composed(changes, later), [])
  }
}

/** What two steps change together. @param then - in the text that `first` led to; both sorted and apart. */
function composed(first: readonly Change[], then: readonly Change[]): Change[] {
  const merged: Change[] = []
  const before = { grown: 0 } // how much longer the text was already, up to here
  const now = { grown: 0 } // how much longer it becomes
  let one = 0
  let other = 0
  while (one < first.length || other < then.length) {
    let end = Math.min(first[one]?.newStart ?? Number.POSITIVE_INFINITY, then[other]?.oldStart ?? Number.POSITIVE_INFINITY)
    const start = { old: end - before.grown, new: end + now.grown }
    for (let isGrowing = true; isGrowing; ) {
      const change = first[one]
      const next = then[other]
      isGrowing = false
      if (change !== undefined && change.newStart <= end) {
        end = Math.max(end, change.newEnd)
        before.grown += growthOf(change)
        one++
        isGrowing = true
      }
      if (next !== undefined && next.oldStart <= end) {
        end = Math.max(end, next.oldEnd)
        now.grown += growthOf(next)
        other++
        isGrowing = true
      }
    }
    merged.push({ oldStart: start.old, oldEnd: end - before.grown, newStart: start.new, newEnd: end + now.grown })
  }
  return merged
}

function growthOf({ oldStart, oldEnd, newStart, newEnd }: Change): number {
  return newEnd - newStart - (oldEnd - oldStart)
}
