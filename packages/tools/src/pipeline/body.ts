import type { UserMessage } from '../contract/content.ts'
import type { ToolExecutionResult } from '../contract/tool.ts'
import { isCancellation } from '../outcome/cancelled.ts'
import { failedResult } from '../outcome/outcome.ts'
import { thrownFailure } from '../outcome/thrown.ts'
import { aborted } from './aborted.ts'
import type { Attempt } from './attempt.ts'
import { produce } from './canonical.ts'
import type { CallableInvocation } from './invocation.ts'

/** Run the body once, and make its canonical outcome. Never rejects. */
export async function runBody(inv: CallableInvocation): Promise<ToolExecutionResult> {
  const { definition, exec, signals } = inv
  if (inv.callerGone) return aborted(inv)
  const ready = inv.beforeBody()
  if (ready) {
    const refused = await ready
    if (refused) return failedResult(refused)
    if (inv.callerGone) return aborted(inv)
  }
  inv.bodyStarts()
  const attempt = inv.attempts.begin()
  signals.enterBody(attempt)
  let returned: unknown
  try {
    returned = await definition.execute(exec.arguments, exec) // not `then`: a promise may bring one of its own
  } catch (error) {
    return withContexts(thrown(inv, error), attempt)
  } finally {
    attempt.close()
    signals.leaveBody()
  }
  return withContexts(produce(inv, returned), attempt)
}

function thrown(inv: CallableInvocation, error: unknown): ToolExecutionResult {
  const cancelled = inv.callerGone && isCancellation(error, inv.signals.caller.reason)
  return cancelled ? aborted(inv) : failedResult(thrownFailure(error, inv.exec.name))
}

/** The frozen result of an attempt: only a success concludes the turn. */
function withContexts(result: ToolExecutionResult, attempt: Attempt): ToolExecutionResult {
  if (result.isError) attempt.concludesTurn = false
  const contexts = attempt.contexts.length > 0 ? { additionalContexts: Object.freeze([...attempt.contexts]) as UserMessage[] } : undefined
  if (result.isError) return contexts ? Object.freeze({ ...result, ...contexts }) : result
  if (contexts === undefined && !attempt.concludesTurn) return result
  return Object.freeze({ ...result, ...contexts, ...(attempt.concludesTurn && { concludesTurn: true as const }) })
}
