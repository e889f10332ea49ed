import type { UserMessage } from '../contract/content.ts'
import type { MissingToolCall, ToolBatchResult, ToolCallResult } from '../contract/executor.ts'
import { brand, isBranded } from '../json/brand.ts'
import { beforeRepeating } from './after-effects.ts'
import { failedWith } from './outcome.ts'
import { thrownText } from './thrown.ts'

/** The machinery of a batch failed, after everything it had started was drained. `closeBatch` makes the missing results. */
export class ToolBatchExecutionError extends Error {
  /** Committed results, in input order. */
  readonly results: readonly ToolCallResult[]
  /** The calls that have none. */
  readonly missing: readonly MissingToolCall[]
  /** Contexts accepted with the committed results. */
  readonly additionalContexts: readonly UserMessage[]

  constructor(parts: {
    readonly results: readonly ToolCallResult[]
    readonly missing: readonly MissingToolCall[]
    readonly additionalContexts: readonly UserMessage[]
    readonly cause: unknown
  }) {
    const without = parts.missing.length === 1 ? '1 of its calls has no result' : `${parts.missing.length} of its calls have no result`
    super(`The batch could not be completed: ${without}. ${thrownText(parts.cause)}`, {
      cause: parts.cause,
    })
    this.name = 'ToolBatchExecutionError'
    this.results = parts.results
    this.missing = parts.missing
    this.additionalContexts = parts.additionalContexts
  }
}
brand(ToolBatchExecutionError, 'ToolBatchExecutionError')

/** Whether a thrown value is one, of whichever installed copy of the package. */
export function isToolBatchExecutionError(error: unknown): error is ToolBatchExecutionError {
  return isBranded(error, 'ToolBatchExecutionError')
}

/**
 * Close a broken batch: its committed results, and a failed one for every call that has none (`TOOL_NOT_STARTED`, or
 * `TOOL_OUTCOME_UNKNOWN` where the body had begun), in input order. A model request never carries a call without a result.
 */
export function closeBatch(error: ToolBatchExecutionError): ToolBatchResult {
  const results = [...error.results]
  const why = thrownText(error.cause)
  for (const call of [...error.missing].sort((a, b) => a.index - b.index)) {
    const result = call.bodyStarted
      ? failedWith('TOOL_OUTCOME_UNKNOWN', call.name, beforeRepeating(), why)
      : failedWith('TOOL_NOT_STARTED', call.name, '', why)
    results.splice(call.index, 0, { callId: call.callId, result })
  }
  return {
    results,
    additionalContexts: error.additionalContexts,
    concluded: error.results.some(({ result }) => result.concludesTurn === true),
  }
}
