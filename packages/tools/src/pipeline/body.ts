import type { UserMessage } from '../contract/content.ts'
import type { ToolExecutionResult } from '../contract/tool.ts'
import { isCancellation } from '../outcome/cancelled.ts'
import { failedResult } from '../outcome/outcome.ts'
import { thrownFailure } from '../outcome/thrown.ts'
import { emit } from '../scope/waterfall.ts'
import { aborted } from './aborted.ts'
import type { Attempt } from './attempt.ts'
import { produce } from './canonical.ts'
import type { CallableInvocation, Invocation } from './invocation.ts'

/** Run the body once, and make its canonical outcome. Never rejects. */
export async function runBody(inv: CallableInvocation): Promise<ToolExecutionResult> {
  const { definition, exec } = inv
  if (inv.callerGone) return aborted(inv)
  inv.bodyStarts()
  const attempt = inv.attempts.begin()
  const endStallWatch = watchForStall(inv)
  let returned: unknown
  try {
    returned = await definition.execute(exec.arguments, exec)
  } catch (error) {
    const cancelled = inv.callerGone && isCancellation(error, inv.signals.caller.reason)
    return withContexts(cancelled ? aborted(inv) : failedResult(thrownFailure(error, exec.name)), attempt)
  } finally {
    attempt.close()
    endStallWatch()
    inv.signals.leaveBody()
  }
  return withContexts(produce(inv, returned), attempt)
}

/** The frozen result of an attempt: only a success concludes the turn. */
function withContexts(result: ToolExecutionResult, attempt: Attempt): ToolExecutionResult {
  if (result.isError) attempt.concludesTurn = false
  const contexts = attempt.contexts.length > 0 ? { additionalContexts: Object.freeze([...attempt.contexts]) as UserMessage[] } : undefined
  if (result.isError) return contexts ? Object.freeze({ ...result, ...contexts }) : result
  if (contexts === undefined && !attempt.concludesTurn) return result
  return Object.freeze({ ...result, ...contexts, ...(attempt.concludesTurn && { concludesTurn: true as const }) })
}

/** Raise `tools/stalled` when the body still runs a while after its signal fired. @returns what ends the watch. */
function watchForStall(inv: Invocation): () => void {
  const { clock, limits, observerFailed } = inv.core
  let cancel: (() => void) | undefined
  let ended = false
  inv.signals.enterBody(() => {
    if (ended || cancel !== undefined) return
    const abortedAtMs = clock.now()
    cancel = clock.after(limits.stallWarningMs, () => {
      const since = Object.freeze({ abortedAtMs, waitedMs: limits.stallWarningMs })
      void emit(inv.listeners.of('tools/stalled'), undefined, [inv.exec, since], observerFailed)
    })
  })
  return () => {
    ended = true
    cancel?.()
  }
}
