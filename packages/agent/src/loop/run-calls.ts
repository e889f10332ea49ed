import {
  closeBatch,
  isToolBatchExecutionError,
  type ResolvedToolSet,
  type ToolBatchInput,
  type ToolBatchResult,
  type ToolCallResult,
} from '@dsh/tools'
import type { RequestedCall } from '@dsh/tools/ports'
import { isEvent, type LoggedError, type SessionEvent } from '../log/event.ts'
import type { Session } from '../log/session.ts'
import { type Turn, toCallBlock } from './turn.ts'
import type { Ending } from './turn-result.ts'

/** Run the calls of an answer as one batch. Undefined when the model is to read their results. */
export async function runCalls(turn: Turn, calls: readonly RequestedCall[], toolSet: ResolvedToolSet): Promise<Ending | undefined> {
  const { agent, session, maxParallelToolCalls } = turn.parts
  const before = session.events.length
  const settled = await execute(turn, {
    calls: calls.map(toCallBlock),
    signal: turn.signal,
    agent,
    toolSet,
    log: turn.log,
    ...(maxParallelToolCalls !== undefined && { maxParallelToolCalls }),
  })
  await logUnlogged(session, session.events.slice(before), { ...turn.log, calls, results: settled.results })
  if (settled.error) return { outcome: 'failed', error: settled.error }
  if (settled.concluded) return turn.close('concluded')
  return turn.signal.aborted ? turn.cancelled() : undefined
}

/** Every call gets its result, even where the machinery fails. */
async function execute(turn: Turn, batch: ToolBatchInput): Promise<ToolBatchResult & { readonly error?: LoggedError }> {
  try {
    return await turn.parts.tools.execute(batch)
  } catch (error) {
    if (!isToolBatchExecutionError(error)) throw error
    turn.parts.session.assertWritable() // a log that cannot be written is why it broke, and there is nothing more to be done here
    return { ...closeBatch(error), error: { code: 'TOOL_BATCH_FAILED', message: error.message } }
  }
}

interface Step {
  readonly turn: number
  readonly step: number
  readonly calls: readonly RequestedCall[]
  readonly results: readonly ToolCallResult[]
}

/** Write what the executor did not: one that a plugin selected may keep no log, and one that broke left calls without a result. */
async function logUnlogged(session: Session, events: readonly SessionEvent[], { turn, step, calls, results }: Step): Promise<void> {
  const logged = events
    .filter((event) => isEvent(event, 'tool/call') && event.data.turn === turn && event.data.step === step)
    .map(({ seq }) => seq)
  const answered = new Set(events.filter((event) => isEvent(event, 'tool/result')).map(({ data }) => data.call))
  for (const [index, { callId, name, arguments: text }] of calls.entries()) {
    const call = logged[index] ?? (await session.log('tool/call', { turn, step, callId, name, arguments: text })).seq
    if (answered.has(call)) continue
    const { isError, content, error, meta, additionalContexts, concludesTurn } = (results[index] as ToolCallResult).result
    await session.log('tool/result', {
      call,
      callId,
      isError,
      content,
      ...(error && { error }),
      ...(meta !== undefined && { meta }),
      ...(additionalContexts && { contexts: additionalContexts }),
      ...(concludesTurn && { concludesTurn }),
    })
  }
}
