import type { ToolCallId, ToolExecutionResult } from '@dsh/tools'
import { jsonLine } from '../text/json-line.ts'
import { printableJson } from '../text/printable.ts'

/** A call with its result. */
export interface CallWithResult {
  readonly callId: ToolCallId
  readonly name: string
  readonly result: ToolExecutionResult
}

/** One settled call as a line of JSON for a stream: `v` is the version of this shape. */
export function resultJson({ callId, name, result }: CallWithResult, stream: { readonly isTTY?: boolean }): string {
  const code = result.error?.info?.code
  const line = {
    v: 1,
    callId,
    name,
    isError: result.isError,
    ...(code !== undefined && { code }),
    ...(!result.isError && { value: result.value }),
    content: result.content,
  }
  return jsonLine(line, stream)
}

/** A line of a batch file that is no call, in the place of its result. */
export function brokenLineJson(line: number, problem: string): string {
  const text = `Error: line ${line} is not a call: ${problem}.`
  return printableJson({ v: 1, line, isError: true, code: 'INVALID_LINE', content: [{ type: 'text', text }] })
}
