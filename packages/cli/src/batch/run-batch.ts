import { randomUUID } from 'node:crypto'
import {
  closeBatch,
  isToolBatchExecutionError,
  type ToolBatchInput,
  type ToolBatchLog,
  type ToolBatchResult,
  type ToolCallBlock,
  type ToolCallId,
  type ToolExecutionResult,
  toToolCallId,
} from '@dsh/tools'
import type { CliIo } from '../cli-io.ts'
import { listenForCancellation } from '../host/cancellation.ts'
import type { Workspace } from '../host/workspace.ts'
import { printable } from '../text/printable.ts'

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

/** How a batch is run. */
export interface RunOptions {
  readonly maxParallel?: number
  /** The step of the operator's session that it is. */
  readonly log?: ToolBatchLog
  readonly onCommitted: (committed: CommittedCall) => void
}

/** Run calls as one batch for the operator, telling each result as soon as it is committed, in input order. */
export async function runBatch(
  io: CliIo,
  workspace: Workspace,
  calls: readonly ToolCallBlock[],
  options: RunOptions,
): Promise<BatchOutcome> {
  const { runtime, operator, screen } = workspace
  const named = withIds(calls)
  const bodies = new Bodies()
  let next = 0
  let failed = 0
  const commit = (args: unknown, result: ToolExecutionResult, ranMs?: number) => {
    const call = named[next] as IdentifiedCall
    const committed = { index: next++, callId: call.callId, call, arguments: args, result, ranMs }
    if (result.isError) failed++
    screen.print(() => options.onCommitted(committed))
  }
  const stopBodies = runtime.on('tools/execute', (exec, run) => bodies.watch(exec, run), { prepend: true })
  // Root calls are committed in input order. Ids of our own making tell them from what a body or a policy calls itself.
  const stopResults = runtime.on('tools/result', (exec, result) => {
    if (exec.callId === named[next]?.callId && exec.agent === operator) commit(exec.arguments, result, bodies.ranMs(exec))
    return undefined
  })
  const cancellation = listenForCancellation(io, screen, () => bodies.running)
  const { maxParallel, log } = options
  const limits = { ...(maxParallel !== undefined && { maxParallelToolCalls: maxParallel }), ...(log && { log }) }
  try {
    const settled = await settle(io, workspace, { calls: named, signal: cancellation.signal, agent: operator, ...limits })
    // Not every result passes the pipeline: an executor that a plugin selected may do without, and a broken batch is closed.
    for (const { result } of settled.results.slice(next)) commit(null, result)
    return { interrupted: cancellation.interrupted, failed }
  } finally {
    cancellation.end()
    stopResults()
    stopBodies()
  }
}

/** Every call gets its result, even where the machinery fails. */
async function settle(io: CliIo, { runtime }: Workspace, batch: ToolBatchInput): Promise<ToolBatchResult> {
  try {
    return await runtime.tools.execute(batch)
  } catch (error) {
    if (!isToolBatchExecutionError(error)) throw error
    io.stderr.write(`dsh: ${printable(error.message)}\n`)
    return closeBatch(error)
  }
}

type IdentifiedCall = ToolCallBlock & { readonly callId: ToolCallId }

function withIds(calls: readonly ToolCallBlock[]): IdentifiedCall[] {
  const run = randomUUID().slice(0, 8)
  return calls.map((call, index) => ({ ...call, callId: call.callId ?? toToolCallId(`call_${run}_${index + 1}`) }))
}

/** The bodies that run, and for how long they did. */
class Bodies {
  readonly #running = new Map<object, string>()
  readonly #ranMs = new WeakMap<object, number>()

  get running(): readonly string[] {
    return [...this.#running.values()]
  }

  ranMs(exec: object): number | undefined {
    return this.#ranMs.get(exec)
  }

  async watch<T>(exec: { readonly name: string }, run: () => Promise<T>): Promise<T> {
    const started = performance.now()
    this.#running.set(exec, exec.name)
    try {
      return await run()
    } finally {
      this.#running.delete(exec)
      this.#ranMs.set(exec, performance.now() - started)
    }
  }
}
