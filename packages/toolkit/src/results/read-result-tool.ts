import { defineTool, type JsonValue, type ToolDefinition, ToolError } from '@dsh/tools'
import type { ResultStore } from '@dsh/tools/ports'
import type { ToolResultView } from '@dsh/tools/presentation'
import { shownText } from '../read/read-line.ts'
import { cardFiles } from '../search/render-grep.ts'
import { MAX_ITEMS, queryValue, readLines } from './read-kept.ts'
import { type ReadResultValue, readResultSchema } from './read-result-value.ts'
import { renderReadResult } from './render-read-result.ts'
import { searchKept } from './search-kept.ts'

/**
 * The tool `read_result`: parts of a result that was too long to show. Whoever knows a locator may read what it leads to.
 * @param store - where the results are kept.
 */
export function readResultTool(store: ResultStore): ToolDefinition {
  return defineTool({
    name: 'read_result',
    description:
      'Read a part of a tool result that was too long to show, by its locator: lines of its text; with pattern, the lines that match; with query, parts of its value as JSON. Shows at most about 36,000 bytes at once; to see more, call again with the offset it names.',
    parameters: {
      locator: { type: 'string', description: 'The locator that stands in the shortened result.', required: true },
      offset: { type: 'integer', description: 'Number of the first line, match or value to show, from 1 on. Default 1.' },
      limit: { type: 'integer', description: `How many to show, at most ${MAX_ITEMS}, which is also the default.` },
      column: { type: 'integer', description: 'Show lines from this character on. For a long line, together with limit 1. Default 1.' },
      pattern: { type: 'string', description: 'Regular expression (Rust syntax, within one line), or plain text with literal.' },
      literal: { type: 'boolean', description: 'The pattern is plain text, not a regular expression. Default false.' },
      ignoreCase: { type: 'boolean', description: 'Upper and lower case count as equal. Default false.' },
      query: {
        type: 'string',
        description: 'Path into the value: $.items[0].name, $.items[*].id, $["odd key"], $.items[-5:], $.items.length.',
      },
    },
    output: {
      schema: readResultSchema,
      render: (_args, value) => [{ type: 'text', text: renderReadResult(value) }],
      presentationMeta: (_args, value) => cardMeta(value),
    },
    effects: 'none',
    isConcurrencySafe: () => true,
    async execute(args, exec): Promise<ReadResultValue> {
      const { locator, pattern, query, literal = false, ignoreCase = false } = args
      const asked = { offset: fromOne('offset', args.offset ?? 1), limit: Math.min(fromOne('limit', args.limit ?? MAX_ITEMS), MAX_ITEMS) }
      const column = fromOne('column', args.column ?? 1)
      if (pattern !== undefined && query !== undefined) {
        throw new ToolError('pattern searches the text and query the value. Send one of them.', { code: 'INVALID_QUERY' })
      }
      const kept = await store.open(locator)
      if (kept === undefined) throw notFound(locator)
      const facts = { locator, tool: kept.tool, sizeBytes: kept.bytes, offset: asked.offset }
      if (query !== undefined) return { ...facts, ...(await queryValue(kept, { ...asked, query })) }
      if (pattern !== undefined) return { ...facts, ...(await searchKept(kept, { ...asked, pattern, literal, ignoreCase }, exec.signal)) }
      return { ...facts, ...(await readLines(kept, { ...asked, column }, exec.signal)) }
    },
    presentCall: ({ locator, pattern, query }) => ({
      card: 'generic',
      kind: pattern === undefined ? 'read' : 'search',
      title: titleOf(locator, pattern ?? query),
    }),
    presentResult({ locator, pattern, query }, result): ToolResultView | undefined {
      if (result.isError || result.meta === undefined) return undefined
      return { title: titleOf(locator, pattern ?? query), ...(result.meta as object) } as ToolResultView
    },
  })
}

/** The card of a result but for its title. */
function cardMeta({ locator, tool, offset, lines, matches, total, nextOffset }: ReadResultValue): JsonValue {
  if (lines) {
    return {
      card: 'read',
      path: `${tool}/${locator}`,
      offset,
      lines: lines.map((line) => ({ number: line.number, text: shownText(line) })),
      totalLines: total,
    }
  }
  if (!matches) return { card: 'generic' }
  const files = matches.length === 0 ? [] : cardFiles([{ path: `${tool}/${locator}`, matches }])
  return { card: 'search', shape: 'matches', files, total, truncated: nextOffset !== undefined || offset > 1 }
}

function titleOf(locator: string, part: string | undefined): string {
  return part === undefined ? locator : `${JSON.stringify(part)} in ${locator}`
}

function notFound(locator: string): ToolError {
  const message = `No result is kept as ${JSON.stringify(locator.slice(0, 80))}. Copy the locator from the shortened result; if it is right, the result is gone: call the tool again for a smaller part.`
  return new ToolError(message, { code: 'RESULT_NOT_FOUND' })
}

function fromOne(name: string, value: number): number {
  if (value >= 1) return value
  throw new ToolError(`${name} is ${value}, and is counted from 1. Send ${name} as 1 or more.`, { code: 'INVALID_RANGE' })
}
