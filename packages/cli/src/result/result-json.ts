import type { ToolCallId, ToolExecutionResult } from '@dsh/tools'
import { printableJson } from '../text/printable.ts'

/** One settled call as a line of JSON: `v` is the version of this shape. */
export function resultJson(callId: ToolCallId, name: string, result: ToolExecutionResult): string {
  const code = result.error?.info?.code
  return printableJson({
    v: 1,
    callId,
    name,
    isError: result.isError,
    ...(code !== undefined && { code }),
    ...(!result.isError && { value: result.value }),
    content: result.content,
  })
}

/** A line of a batch file that is no call, in the place of its result. */
export function brokenLineJson(line: number, problem: string): string {
  const text = `Error: line ${line} is not a call: ${problem}.`
  return printableJson({ v: 1, line, isError: true, code: 'INVALID_LINE', content: [{ type: 'text', text }] })
}
