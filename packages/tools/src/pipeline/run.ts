import type { ToolExecutionResult } from '../contract/tool.ts'
import { announce } from './announce.ts'
import { decide } from './decide.ts'
import { dispatch } from './dispatch.ts'
import type { Invocation } from './invocation.ts'
import { prepare } from './prepare.ts'
import { review } from './review.ts'
import { seal } from './seal.ts'

/**
 * One call, from its arguments to its one result. Never rejects: whatever goes wrong is the result.
 *
 *     prepare -> decide [pre-execute, validate, approval, guards] -> dispatch [wrappers [body]]
 *             -> review [projectContent, post-execute, cancellation] -> seal [finalizeContent] -> announce
 */
export async function run(inv: Invocation): Promise<ToolExecutionResult> {
  try {
    return announce(inv, seal(inv, await settle(inv)))
  } finally {
    inv.signals.release()
  }
}

async function settle(inv: Invocation): Promise<ToolExecutionResult> {
  const { turns } = inv
  const early = prepare(inv)
  if (early) {
    turns?.policyEnded()
    await turns?.commitTurn()
    return early // never got as far as policy: nothing to review
  }
  const verdict = await decide(inv)
  turns?.policyEnded()
  const outcome = verdict.kind === 'go' ? await dispatch(inv) : verdict.outcome
  await turns?.commitTurn()
  return verdict.kind === 'failed' ? outcome : review(inv, outcome) // a policy that broke is not asked again
}
