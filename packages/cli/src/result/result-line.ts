import type { ToolResult } from '@dsh/tools'
import { printableLine } from '../text/printable.ts'
import type { Style } from '../text/style.ts'
import { cutToWidth, textWidth } from '../text/width.ts'
import { type CallCards, summarise } from './summary.ts'

/** A settled call, for a line of its own. */
export interface SettledCall {
  readonly name: string
  readonly cards: CallCards
  readonly result: ToolResult
  /** Milliseconds its body ran; undefined when it never did. */
  readonly ranMs: number | undefined
}

const BETWEEN = ' · '
/** A title or an outcome with less room than this says nothing. */
const MIN_COLUMNS = 8

/** The one line that is printed when a call ends: mark, tool, code, what it was about, what came of it, how long it ran. */
export function resultLine(call: SettledCall, { color, columns = Number.POSITIVE_INFINITY }: Style): string {
  const { isError, error } = call.result
  const name = printableLine(call.name)
  const code = error?.info?.code
  const head = code === undefined ? name : `${name} ${printableLine(code)}`
  const ran = call.ranMs === undefined ? [] : [`${Math.round(call.ranMs)} ms`]
  const summary = summarise(call.cards, call.result)
  const parts = [printableLine(summary.title), printableLine(summary.outcome)].filter((part) => part !== '')
  const room = Math.max(10, columns - 2) // the mark and its space
  const free = room - textWidth(head) - 1
  // Where it is tight, what the call was about matters more than how long it ran.
  const timed = [...fit(parts, free - textWidth(['', ...ran].join(BETWEEN))), ...ran]
  const untimed = fit(parts, free)
  const line = cutToWidth(`${head} ${(untimed.length < timed.length ? timed : untimed).join(BETWEEN)}`, room)
  const shownName = line.slice(0, name.length)
  return `${isError ? color.red('✗') : color.green('✓')} ${color.bold(shownName)}${color.dim(line.slice(shownName.length))}`
}

/** Cut a title and an outcome so that both fit: the outcome keeps what it needs, up to two thirds. What finds no room is left out. */
function fit(parts: readonly string[], free: number): readonly string[] {
  const [title, outcome] = parts
  if (free === Number.POSITIVE_INFINITY || title === undefined) return parts
  if (outcome === undefined) return cutPart(title, free)
  const both = free - BETWEEN.length
  const forOutcome = Math.max(Math.min(textWidth(outcome), Math.ceil((both * 2) / 3)), both - textWidth(title))
  if (both - forOutcome < Math.min(MIN_COLUMNS, textWidth(title))) return cutPart(outcome, free)
  return [...cutPart(title, both - forOutcome), ...cutPart(outcome, forOutcome)]
}

function cutPart(text: string, columns: number): string[] {
  return columns < Math.min(MIN_COLUMNS, textWidth(text)) ? [] : [cutToWidth(text, columns)]
}
