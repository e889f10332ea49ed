import type { ToolDefinition } from '@dsh/tools'
import type { CliIo } from '../cli-io.ts'
import type { Workspace } from '../host/workspace.ts'
import { printable, printableLine } from '../text/printable.ts'
import { type Style, styleOf } from '../text/style.ts'
import { cutToWidth } from '../text/width.ts'
import { UsageError } from '../usage-error.ts'

/** `dsh tools [NAME]`: list the tools, or show one. @returns the exit code. @throws UsageError for a name that is no tool. */
export function toolsCommand(io: CliIo, { runtime, operator }: Workspace, name: string | undefined, json: boolean): number {
  const { tools } = runtime
  const style = styleOf(io.stdout, io.env)
  const found = name === undefined ? undefined : tools.get(name, operator)
  if (name !== undefined && found === undefined) throw new UsageError(tools.explain(name, operator).message)
  const shown = found ? [found] : tools.definitions(operator)
  if (json) for (const tool of shown) io.stdout.write(`${toolJson(tool)}\n`)
  else if (found) io.stdout.write(toolPage(found, style))
  else for (const tool of shown) io.stdout.write(`${toolLine(tool, style)}\n`)
  return 0
}

function toolJson(tool: ToolDefinition): string {
  const { name, description, parameters, output, effects = 'unknown', timeoutMs } = tool
  return JSON.stringify({
    v: 1,
    name,
    description,
    parameters,
    output: output.schema,
    effects,
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
}

function toolLine({ name, description, effects = 'unknown' }: ToolDefinition, { color, columns }: Style): string {
  const first = printableLine(description.split('\n', 1)[0] as string)
  const line = `${name.padEnd(12)} ${`effects: ${effects}`.padEnd(20)} ${first}`
  const cut = columns === undefined ? line : cutToWidth(line, columns)
  return `${color.bold(cut.slice(0, name.length))}${cut.slice(name.length)}`
}

function toolPage(tool: ToolDefinition, { color }: Style): string {
  const { name, description, parameters, output, effects = 'unknown', timeoutMs } = tool
  const facts = [
    `effects: ${effects}`,
    `overlap: ${tool.isConcurrencySafe ? 'decided per call' : 'never'}`,
    `deadline: ${timeoutMs === undefined ? 'none' : `${timeoutMs} ms`}`,
  ]
  const schema = (title: string, node: unknown) => `${color.bold(title)}\n${printable(JSON.stringify(node, null, 2))}\n`
  return [
    `${color.bold(name)}\n${printable(description)}\n`,
    `${facts.join('   ')}\n`,
    schema('Arguments', parameters),
    schema('Value', output.schema),
  ].join('\n')
}
