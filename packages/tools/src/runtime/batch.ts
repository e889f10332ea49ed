import type { ToolBatchInput, ToolBatchResult, ToolExecutor } from '../contract/executor.ts'
import { assertLoggable } from '../executor/session-log.ts'
import { isBranded } from '../json/brand.ts'
import { ToolBatchExecutionError } from '../outcome/batch-error.ts'
import { freshCallId } from '../tool/call-id.ts'
import { assertPositiveInteger } from './options.ts'

/** Check what a caller hands in. @throws TypeError naming the field. */
export function assertBatch(input: ToolBatchInput): void {
  if (typeof input !== 'object' || input === null || !Array.isArray(input.calls)) throw new TypeError('A batch needs an array of calls.')
  for (const [index, call] of input.calls.entries()) {
    if (typeof call?.name !== 'string') throw new TypeError(`calls[${index}] needs the name of a tool.`)
    if (call.callId !== undefined && typeof call.callId !== 'string') throw new TypeError(`calls[${index}].callId must be a text.`)
  }
  if (typeof input.signal?.addEventListener !== 'function') throw new TypeError('A batch needs the signal of its caller.')
  if (input.maxParallelToolCalls !== undefined) assertPositiveInteger('maxParallelToolCalls', input.maxParallelToolCalls)
  assertLoggable(input)
}

/**
 * Hand a batch to its executor, and hold it to the contract: one result per call.
 * @throws ToolBatchExecutionError when there is no executor, or it breaks the contract.
 */
export async function executeBatch(executor: ToolExecutor | undefined, input: ToolBatchInput): Promise<ToolBatchResult> {
  if (executor === undefined) throw nothingRan(input, new Error('No executor is selected for the scope of this batch.'))
  let result: ToolBatchResult
  try {
    result = await executor.execute(input)
  } catch (error) {
    if (isBranded(error, 'ToolBatchExecutionError')) throw error
    throw nothingRan(input, error, true)
  }
  const settled = Array.isArray(result?.results) ? result.results.length : 0
  if (settled === input.calls.length) return result
  throw nothingRan(input, new Error(`The executor gave ${settled} results for ${input.calls.length} calls.`), true)
}

function nothingRan({ calls }: ToolBatchInput, cause: unknown, bodyStarted = false): ToolBatchExecutionError {
  const missing = calls.map(({ callId, name }, index) => ({ index, callId: callId ?? freshCallId(), name, bodyStarted }))
  return new ToolBatchExecutionError({ results: [], missing, additionalContexts: [], cause })
}
