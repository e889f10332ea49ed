import type { ToolDefinition, ToolExecutionResult } from '@dsh/tools'
import { cardOf } from '@dsh/tools/executor'
import type { CallCards } from './summary.ts'

/**
 * The cards that a tool makes of a call, as a log keeps them, so that a line printed from a log is the line that was printed live: made of
 * the durable result, JSON, and none where the arguments could not be parsed. A presenter that throws costs its card.
 */
export function cardsOf(definition: ToolDefinition | undefined, args: unknown, result: ToolExecutionResult): CallCards {
  if (typeof args !== 'object' || args === null) return {}
  const { isError, content, error, meta } = result
  const durable = { isError, content, ...(error && { error }), ...(meta !== undefined && { meta }) }
  return { call: cardOf(() => definition?.presentCall?.(args)), result: cardOf(() => definition?.presentResult?.(args, durable)) }
}
