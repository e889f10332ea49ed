import type { JsonValue, ToolDefinition, ToolExecutionResult } from '@dsh/tools'
import type { ToolResultView } from '@dsh/tools/presentation'

/** What a call was about, and what came of it: both in a few words. */
export interface CallSummary {
  readonly title: string
  readonly outcome: string
}

/** Summarise a settled call from its tool's cards. A tool without cards, or whose presenters fail, is shown by its content. */
export function summarise(definition: ToolDefinition | undefined, args: JsonValue, result: ToolExecutionResult): CallSummary {
  const call = attempt(() => definition?.presentCall?.(args))
  const view = attempt(() => definition?.presentResult?.(args, result))
  const title = view?.title ?? call?.title ?? ''
  if (result.isError) return { title, outcome: withoutEnvelope(firstText(result)) }
  return { title, outcome: (view && describeView(view)) ?? firstText(result) }
}

function describeView(view: ToolResultView): string | undefined {
  switch (view.card) {
    case 'search': {
      const shown = view.shape === 'matches' ? view.files.reduce((sum, file) => sum + file.matches.length, 0) : view.paths.length
      const what = view.shape === 'matches' ? count(view.total, 'match', 'matches') : count(view.total, 'path', 'paths')
      return view.truncated ? `${what}, the first ${shown} shown` : what
    }
    case 'read': {
      const last = view.lines.at(-1)?.number
      return last === undefined ? `no lines of ${view.totalLines}` : `lines ${view.offset}-${last} of ${view.totalLines}`
    }
    case 'diff':
      return count(view.diffs.length, 'file changed', 'files changed')
    case 'terminal':
      return view.signal === undefined ? `exit ${view.exitCode ?? 0}` : `ended by ${view.signal}`
    case 'web':
      return view.kind === 'fetch' ? `status ${view.statusCode}` : count(view.sources.length, 'source', 'sources')
    default:
      return undefined
  }
}

function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}

function firstText(result: ToolExecutionResult): string {
  const block = result.content[0]
  if (block === undefined) return 'no content'
  return block.type === 'text' ? (block.text.trimStart().split('\n', 1)[0] as string) : `[${block.type}]`
}

function withoutEnvelope(text: string): string {
  return text.replace(/^Error: /, '')
}

function attempt<T>(present: () => T | undefined): T | undefined {
  try {
    return present()
  } catch {
    return undefined // a presenter that fails costs its card, not the result
  }
}
