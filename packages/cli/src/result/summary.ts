import type { ToolResult } from '@dsh/tools'
import type { ToolResultView } from '@dsh/tools/presentation'
import { changeOf } from '../text/changed-lines.ts'
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
      if (view.signal !== undefined) return `ended by ${view.signal}`
      return view.exitCode === undefined ? undefined : `exit ${view.exitCode}`
    case 'generic': {
      const first = view.content?.[0]
      return first?.type === 'text' ? firstLine(first.text) : undefined
    }
    case 'web':
      return view.kind === 'fetch' ? `status ${view.statusCode}` : count(view.sources.length, 'source', 'sources')
  }
}

/** Lines that came and lines that went. The context around a change stands in both of its texts, and is neither. */
function describeDiffs(diffs: Extract<ToolResultView, { card: 'diff' }>['diffs']): string {
  const changes = diffs.map(changeOf)
  const added = changes.reduce((sum, change) => sum + change.added.length, 0)
  const removed = changes.reduce((sum, change) => sum + change.removed.length, 0)
  const files = new Set(diffs.map(({ path }) => path)).size
  const counts = `+${added.toLocaleString('en')} -${removed.toLocaleString('en')}`
  return files === 1 ? counts : `${counts} in ${count(files, 'file', 'files')}`
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
  return firstLine(block.text)
}

function firstLine(text: string): string {
  const start = text.slice(0, 10 * MAX_TEXT).trimStart()
  return firstUnits(start.split('\n', 1)[0] as string, MAX_TEXT)
}

function attempt<T>(present: () => T | undefined): T | undefined {
  try {
    return present()
  } catch {
    return undefined // a card of another shape than it says, or none, costs itself, not the result
  }
}
