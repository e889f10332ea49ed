import type { ToolDefinition, ToolExplanation } from '@dsh/tools'
import type { CliIo } from '../cli-io.ts'
import type { Workspace } from '../host/workspace.ts'
import { printable, printableJson, printableLine } from '../text/printable.ts'
import { type Style, styleOf } from '../text/style.ts'
import { cutToWidth } from '../text/width.ts'
import { UsageError } from '../usage-error.ts'

/** On a terminal that is narrower than this, descriptions get lines of their own. */
const MIN_TABLE_COLUMNS = 70

/** How the calls of a tool overlap with others, in words. */
const OVERLAP = {
  keyed: 'keyed: with calls that use other files, or other keys',
  safe: 'safe where the tool says so of the arguments',
  exclusive: 'exclusive',
} as const

/** `dsh tools [NAME]`: list the tools, or show one. @returns the exit code. @throws UsageError for a name that is no tool. */
export function toolsCommand(io: CliIo, { runtime, operator }: Workspace, name: string | undefined, json: boolean): number {
  const { tools } = runtime
  const style = styleOf(io.stdout, io.env)
  const found = name === undefined ? undefined : tools.get(name, operator)
  if (name !== undefined && found === undefined) throw new UsageError(tools.explain(name, operator).message)
  const shown = found ? [found] : tools.definitions(operator)
  const explain = (tool: ToolDefinition) => tools.explain(tool.name, operator)
  if (json) for (const tool of shown) io.stdout.write(`${toolJson(tool, explain(tool))}\n`)
  else if (found) io.stdout.write(toolPage(found, explain(found), style))
  else for (const line of toolTable(shown, style)) io.stdout.write(`${line}\n`)
  return 0
}

function toolJson(tool: ToolDefinition, { callable }: ToolExplanation): string {
  const { name, description, parameters, output, effects = 'unknown', timeoutMs } = tool
  return printableJson({
    v: 1,
    name,
    description,
    parameters,
    output: output.schema,
    overlap: overlapOf(tool),
    effects,
    ...(timeoutMs !== undefined && { timeoutMs }),
    callable,
  })
}

function toolTable(tools: readonly ToolDefinition[], { color, columns }: Style): string[] {
  const rows = [['tool', 'overlap', 'effects', 'deadline'], ...tools.map(facts)]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)))
  const cells = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] as number)).join('  '))
  const texts = ['description', ...tools.map(({ description }) => printableLine(description.trimStart().split('\n', 1)[0] as string))]
  const isNarrow = columns !== undefined && columns < MIN_TABLE_COLUMNS
  return cells.flatMap((cell, index) => {
    const cut = (line: string) => cutToWidth(line.trimEnd(), columns ?? Number.POSITIVE_INFINITY)
    const lines = isNarrow ? [cut(cell), cut(`  ${texts[index]}`)] : [cut(`${cell}  ${texts[index]}`)]
    if (index === 0) return [color.dim(lines[0] as string)]
    const [first, ...rest] = lines as [string, ...string[]]
    const name = (rows[index] as readonly string[])[0]?.length ?? 0
    return [`${color.bold(first.slice(0, name))}${first.slice(name)}`, ...rest]
  })
}

function facts(tool: ToolDefinition): string[] {
  const { name, effects = 'unknown', timeoutMs } = tool
  return [name, overlapOf(tool), effects, timeoutMs === undefined ? 'none' : `${timeoutMs} ms`]
}

function overlapOf({ access, isConcurrencySafe }: ToolDefinition): keyof typeof OVERLAP {
  if (access) return 'keyed'
  return isConcurrencySafe ? 'safe' : 'exclusive'
}

function toolPage(tool: ToolDefinition, explanation: ToolExplanation, { color }: Style): string {
  const { name, description, parameters, output, effects = 'unknown', timeoutMs } = tool
  const cards = [tool.presentCall && 'of the call', tool.presentResult && 'of the result'].filter(Boolean)
  const lines = [
    `overlap: ${OVERLAP[overlapOf(tool)]}`,
    `effects: ${effects}`,
    `deadline: ${timeoutMs === undefined ? 'none' : `${timeoutMs} ms`}`,
    `cards: ${cards.length === 0 ? 'none' : cards.join(', ')}`,
    ...(explanation.callable ? [] : [`not callable here: ${printableLine(explanation.message)}`]),
  ]
  const schema = (title: string, node: unknown) => `${color.bold(title)}\n${printable(JSON.stringify(node, null, 2))}\n`
  return [
    `${color.bold(name)}\n${printable(description)}\n`,
    `${lines.join('\n')}\n`,
    schema('Arguments', parameters),
    schema('Value', output.schema),
  ].join('\n')
}
