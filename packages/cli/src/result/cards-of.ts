import type { ToolDefinition, ToolExecutionResult } from '@dsh/tools'
import type { CallCards } from './summary.ts'

/** The cards that a tool makes of a call. A presenter that throws costs its card. */
export function cardsOf(definition: ToolDefinition | undefined, args: unknown, result: ToolExecutionResult): CallCards {
  return { call: attempt(() => definition?.presentCall?.(args)), result: attempt(() => definition?.presentResult?.(args, result)) }
}

function attempt(present: () => unknown): unknown {
  try {
    return present()
  } catch {
    return undefined // the result is shown all the same
  }
}
