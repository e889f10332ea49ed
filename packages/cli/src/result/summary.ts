import type { ToolResult } from '@dsh/tools'
import type { ToolResultView } from '@dsh/tools/presentation'
import { firstUnits } from '../text/printable.ts'

const MAX_TEXT = 300

/** What a call was about, and what came of it: both in a few words. */
export interface CallSummary {
  readonly title: string
  readonly outcome: string
}

/** The cards of a settled call, as its tool or a log gives them: of any shape. */
export interface CallCards {
  readonly call?: unknown
  readonly result?: unknown
}

/** Summarise a settled call from its cards. One without cards, or whose cards are unusable, is shown by its content. */
export function summarise(cards: CallCards, result: ToolResult): CallSummary {
  const title = [titleOf(cards.result), titleOf(cards.call)].find((text) => text !== undefined) ?? ''
  if (result.isError) return { title, outcome: firstText(result).replace(/^Error: /, '') }
  return { title, outcome: attempt(() => describeView(cards.result as ToolResultView)) ?? firstText(result) }
}

function titleOf(card: unknown): string | undefined {
  const title = typeof card === 'object' && card !== null && 'title' in card ? card.title : undefined
  return typeof title === 'string' ? title : undefined
}

function describeView(view: ToolResultView): string | undefined {
  switch (view.card) {
    case 'search':
      return describeSearch(view)
    case 'read': {
      const last = view.lines.at(-1)?.number
      const total = view.totalLines ?? 'more'
      return last === undefined ? `no lines of ${total}` : `lines ${view.offset}-${last} of ${total}`
    }
    case 'diff':
      return describeDiffs(view.diffs)
    case 'terminal':
      return view.signal === undefined ? `exit ${view.exitCode ?? 0}` : `ended by ${view.signal}`
    case 'web':
      return view.kind === 'fetch' ? `status ${view.statusCode}` : count(view.sources.length, 'source', 'sources')
    default:
      return undefined
  }
}

/** Lines that came and lines that went. The context around a change stands in both of its texts, and is neither. */
function describeDiffs(diffs: Extract<ToolResultView, { card: 'diff' }>['diffs']): string {
  const sizes = diffs.map(({ oldText, newText }) => changedLines(linesOf(oldText ?? ''), linesOf(newText)))
  const [added, removed] = [0, 1].map((side) => sizes.reduce((sum, size) => sum + (size[side] as number), 0)) as [number, number]
  const files = new Set(diffs.map(({ path }) => path)).size
  const change = `+${added.toLocaleString('en')} -${removed.toLocaleString('en')}`
  return files === 1 ? change : `${change} in ${count(files, 'file', 'files')}`
}

function changedLines(before: readonly string[], after: readonly string[]): [added: number, removed: number] {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return [after.length - head - tail, before.length - head - tail]
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function describeSearch(view: Extract<ToolResultView, { card: 'search' }>): string {
  if (view.shape === 'paths') return `${part(view.paths.length, view)}${count(view.total, 'path', 'paths')}`
  const shown = view.files.reduce((sum, file) => sum + file.matches.length, 0)
  const all = `${part(shown, view)}${count(view.total, 'match', 'matches')}`
  return view.truncated || view.total === 0 ? all : `${all} in ${count(view.files.length, 'file', 'files')}`
}

/** Where something was left out, how much is there: it comes first, so that no narrow terminal hides it. */
function part(shown: number, { truncated }: { readonly truncated: boolean }): string {
  return truncated ? `${shown.toLocaleString('en')} of ` : ''
}

function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}

function firstText(result: ToolResult): string {
  const block = result.content[0]
  if (block === undefined) return 'no content'
  if (block.type !== 'text') return `[${block.type}]`
  const start = block.text.slice(0, 10 * MAX_TEXT).trimStart()
  return firstUnits(start.split('\n', 1)[0] as string, MAX_TEXT)
}

function attempt<T>(present: () => T | undefined): T | undefined {
  try {
    return present()
  } catch {
    return undefined // a card of another shape than it says, or none, costs itself, not the result
  }
}
