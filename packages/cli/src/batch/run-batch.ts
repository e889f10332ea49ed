import type { ToolBatchResult, ToolCallBlock, ToolCallId, ToolExecutionResult } from '@dsh/tools'
import type { CliIo } from '../cli-io.ts'
import { watchInterrupts } from '../host/cancellation.ts'
import type { Workspace } from '../host/workspace.ts'

/** One call of the batch that has its result. */
export interface CommittedCall {
  /** Position among the calls. */
  readonly index: number
  readonly callId: ToolCallId
  readonly call: ToolCallBlock
  readonly arguments: unknown
  readonly result: ToolExecutionResult
  readonly ranMs: number | undefined
}

/** How a batch went. */
export interface BatchOutcome {
  readonly interrupted: boolean
  readonly failed: number
}

/** Run calls as one batch for the operator, telling each result as soon as it is committed, in input order. */
export async function runBatch(
  io: CliIo,
  { runtime, operator }: Workspace,
  calls: readonly ToolCallBlock[],
  options: { readonly maxParallel?: number; readonly onCommitted: (committed: CommittedCall) => void },
): Promise<BatchOutcome> {
  const timings = new WeakMap<object, number>()
  let next = 0
  let failed = 0
  const commit = (callId: ToolCallId, args: unknown, result: ToolExecutionResult, ranMs?: number) => {
    const index = next++
    if (result.isError) failed++
    options.onCommitted({ index, callId, call: calls[index] as ToolCallBlock, arguments: args, result, ranMs })
  }
  const stopTiming = runtime.on('tools/execute', async (exec, run) => {
    const started = performance.now()
    try {
      return await run()
    } finally {
      timings.set(exec, performance.now() - started)
    }
  })
  // The executor commits root calls in input order, so the n-th result is the n-th call's.
  const stopResults = runtime.on('tools/result', (exec, result) => {
    if (exec.parent === undefined && exec.agent === operator) commit(exec.callId, exec.arguments, result, timings.get(exec))
    return undefined
  })
  const cancellation = watchInterrupts(io, runtime)
  const { signal } = cancellation
  const limit = options.maxParallel === undefined ? {} : { maxParallelToolCalls: options.maxParallel }
  try {
    const settled: ToolBatchResult = await runtime.tools.execute({ calls, signal, agent: operator, ...limit })
    // An executor that a plugin selected may not use the pipeline: its results are told here.
    for (const { callId, result } of settled.results.slice(next)) commit(callId, null, result)
    return { interrupted: cancellation.interrupted, failed }
  } finally {
    cancellation.end()
    stopResults()
    stopTiming()
  }
}
