import type { JsonValue, ToolDefinition, ToolExecutionResult } from '@dsh/tools'
import { printableLine } from '../text/printable.ts'
import type { Style } from '../text/style.ts'
import { cutToWidth } from '../text/width.ts'
import { summarise } from './summary.ts'

/** A settled call, for a line of its own. */
export interface SettledCall {
  readonly name: string
  readonly definition: ToolDefinition | undefined
  readonly arguments: JsonValue
  readonly result: ToolExecutionResult
  /** Milliseconds its body ran; undefined when it never did. */
  readonly ranMs: number | undefined
}

/** The one line that is printed when a call ends: mark, tool, what it was about, what came of it, how long it ran. */
export function resultLine(call: SettledCall, { color, columns }: Style): string {
  const { title, outcome } = summarise(call.definition, call.arguments, call.result)
  const code = call.result.error?.info?.code
  const parts = [code, title, outcome, call.ranMs === undefined ? undefined : `${Math.round(call.ranMs)} ms`]
  const text = parts
    .filter((part): part is string => part !== undefined && part !== '')
    .map(printableLine)
    .join(' · ')
  const name = printableLine(call.name)
  const room = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(10, columns - 3)
  const line = cutToWidth(`${name} ${text}`, room)
  const head = line.slice(0, name.length)
  const mark = call.result.isError ? color.red('✗') : color.green('✓')
  return `${mark} ${color.bold(head)}${color.dim(line.slice(head.length))}`
}
