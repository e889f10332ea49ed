import type { ContentBlock } from '../contract/content.ts'
import type { ToolExecutionFailure, ToolFailure } from '../contract/tool.ts'
import { type FailureCode, failure } from './failures.ts'
import { textContent } from './text-content.ts'

/** The failed outcome of a failure; its content is the message in the `Error: ` envelope unless other content is given. */
export function failedResult(error: ToolFailure, content?: ContentBlock[]): ToolExecutionFailure {
  if (error.info) Object.freeze(error.info)
  return Object.freeze({ isError: true, error: Object.freeze(error), content: content ?? textContent(`Error: ${error.message}`) })
}

/** The failed outcome of a code from the table. */
export function failedWith(code: FailureCode, tool: string, detail?: string, reason?: string): ToolExecutionFailure {
  return failedResult(failure(code, tool, detail, reason))
}
