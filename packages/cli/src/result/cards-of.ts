import { snapshotJson, type ToolDefinition, type ToolExecutionResult } from '@dsh/tools'
import type { CallCards } from './summary.ts'

/** A log keeps no card that is longer. */
const MAX_CARD = 64 * 1024

/**
 * The cards that a tool makes of a call, as a log keeps them, so that a line printed from a log is the line that was printed live: made of
 * the durable result, JSON, and none where the arguments could not be parsed. A presenter that throws costs its card.
 */
export function cardsOf(definition: ToolDefinition | undefined, args: unknown, result: ToolExecutionResult): CallCards {
  if (typeof args !== 'object' || args === null) return {}
  const { isError, content, error, meta } = result
  const durable = { isError, content, ...(error && { error }), ...(meta !== undefined && { meta }) }
  return { call: attempt(() => definition?.presentCall?.(args)), result: attempt(() => definition?.presentResult?.(args, durable)) }
}

function attempt(present: () => unknown): unknown {
  try {
    const card = snapshotJson(present(), { omitUndefined: true })
    return Buffer.byteLength(JSON.stringify(card)) > MAX_CARD ? undefined : card
  } catch {
    return undefined // there is none, or it is no JSON: the result is shown all the same
  }
}
