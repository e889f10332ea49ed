import type { MissingToolCall, ToolBatchInput, ToolBatchResult, ToolCallResult, ToolExecutor } from '../contract/executor.ts'
import type { Agent } from '../contract/tool.ts'
import { assertLoggable } from '../executor/session-log.ts'
import { isToolBatchExecutionError, ToolBatchExecutionError } from '../outcome/batch-error.ts'
import { freshCallId } from '../tool/call-id.ts'
import { assertPositiveInteger } from './options.ts'

/** Check what a caller hands in. @throws TypeError naming the field. */
function assertBatch(input: ToolBatchInput): void {
  if (typeof input !== 'object' || input === null || !Array.isArray(input.calls)) throw new TypeError('A batch needs an array of calls.')
  for (const [index, call] of input.calls.entries()) {
    if (typeof call?.name !== 'string') throw new TypeError(`calls[${index}] needs the name of a tool.`)
    if (call.callId != null && typeof call.callId !== 'string') throw new TypeError(`calls[${index}].callId must be a text.`)
  }
  if (typeof input.signal?.addEventListener !== 'function') throw new TypeError('A batch needs the signal of its caller.')
  if (input.maxParallelToolCalls !== undefined) assertPositiveInteger('maxParallelToolCalls', input.maxParallelToolCalls)
  assertLoggable(input)
}

/**
 * Hand a batch to its executor, and hold it to the contract: one result per call, in input order.
 * @param executorOf - finds the executor for the agent of the batch.
 * @throws TypeError naming a field that is wrong, ToolBatchExecutionError when there is no executor, or it breaks the contract.
 */
export async function executeBatch(
  given: ToolBatchInput,
  executorOf: (agent: Agent | undefined) => ToolExecutor | undefined,
): Promise<ToolBatchResult> {
  assertBatch(given)
  const input = { ...given, calls: [...given.calls] } // what the caller does to its list meanwhile is another batch
  const executor = executorOf(input.agent)
  if (executor === undefined)
    throw broken(input, [], new Error('Its scope has been disposed, or the executor that was selected for it is gone.'), false)
  let result: ToolBatchResult
  try {
    result = await executor.execute(input)
  } catch (error) {
    if (isToolBatchExecutionError(error)) throw error
    throw broken(input, [], error, true)
  }
  const results = Array.isArray(result?.results) ? result.results : []
  const inOrder = input.calls.every(({ callId }, index) => results[index] !== undefined && (!callId || results[index].callId === callId))
  if (inOrder && results.length === input.calls.length) return result
  const problem = inOrder
    ? `${results.length} results for ${input.calls.length} calls`
    : 'results that are not those of the calls, in their order'
  throw broken(input, results, new Error(`The executor gave ${problem}.`), true)
}

/** What a broken batch leaves: the results that can be told to belong to a call, and the calls that have none. */
function broken(
  { calls }: ToolBatchInput,
  given: readonly ToolCallResult[],
  cause: unknown,
  bodyStarted: boolean,
): ToolBatchExecutionError {
  const left = [...given]
  const results: ToolCallResult[] = []
  const missing: MissingToolCall[] = []
  for (const [index, { callId, name }] of calls.entries()) {
    const at = callId ? left.findIndex((result) => result?.callId === callId) : -1
    if (at >= 0) results.push(...left.splice(at, 1))
    else missing.push({ index, callId: callId || freshCallId(), name, bodyStarted })
  }
  return new ToolBatchExecutionError({ results, missing, additionalContexts: [], cause })
}
