import type { ToolExecutionResult } from '../contract/tool.ts'
import { announce } from './announce.ts'
import { decide } from './decide.ts'
import { dispatch } from './dispatch.ts'
import type { Invocation } from './invocation.ts'
import type { KeyTicket } from './key-locks.ts'
import { keysTaken, takeKeys } from './keys.ts'
import { prepare } from './prepare.ts'
import { review } from './review.ts'
import { seal } from './seal.ts'

/**
 * One call, from its arguments to its one result. Never rejects: whatever goes wrong is the result.
 *
 *     prepare -> decide [pre-execute, validate, approval, guards] -> dispatch [wrappers [body]]
 *             -> review [projectContent, post-execute, cancellation] -> seal [finalizeContent] -> announce
 *
 * A stage with nothing to wait for answers at once: an `await` costs as much as a stage.
 */
export async function run(inv: Invocation): Promise<ToolExecutionResult> {
  const { turns } = inv
  let keys: KeyTicket | undefined
  try {
    const deciding = prepare(inv) ?? decide(inv)
    const verdict = deciding instanceof Promise ? await deciding : deciding
    turns?.policyEnded()
    let outcome: ToolExecutionResult
    if (verdict.kind === 'go') {
      keys = takeKeys(inv)
      const taking = keys && keysTaken(inv, keys)
      if (taking) await taking // before the slot: who waits for keys holds up nobody else
      const slot = inv.takeSlot()
      if (slot) await slot // here, where nothing else of the call waits: thousands may
      outcome = await dispatch(inv)
      inv.dispatched()
      keys?.giveBack()
    } else outcome = verdict.outcome
    const earlier = turns?.commitTurn()
    if (earlier) await earlier
    const reviewing = verdict.kind === 'final' ? outcome : review(inv, outcome)
    const reviewed = reviewing instanceof Promise ? await reviewing : reviewing
    return announce(inv, seal(inv, reviewed))
  } finally {
    inv.release()
    keys?.giveBack()
  }
}
