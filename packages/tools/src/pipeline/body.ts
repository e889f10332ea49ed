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
export function runBody(inv: CallableInvocation): Promise<ToolExecutionResult> {
  if (inv.callerGone) return Promise.resolve(aborted(inv))
  inv.bodyStarts()
  const attempt = inv.attempts.begin()
  inv.signals.enterBody(attempt)
  const end = () => {
    attempt.close()
    inv.signals.leaveBody()
  }
  return execute(inv).then(
    (returned) => {
      end()
      return withContexts(produce(inv, returned), attempt)
    },
    (error) => {
      end()
      return withContexts(thrown(inv, error), attempt)
    },
  )
}

function execute({ definition, exec }: CallableInvocation): Promise<unknown> {
  try {
    return Promise.resolve(definition.execute(exec.arguments, exec))
  } catch (error) {
    return Promise.reject(error)
  }
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
