import type { PostToolDecision, ToolExecutionResult } from '../contract/tool.ts'
import { failure } from '../outcome/failures.ts'
import { failedResult, failedWith } from '../outcome/outcome.ts'
import { thrownText } from '../outcome/thrown.ts'
import { runWaterfall } from '../scope/waterfall.ts'
import { produce } from './canonical.ts'
import { acceptContent, acceptContexts } from './content.ts'
import type { Invocation } from './invocation.ts'
import { policyFailed } from './policy-failed.ts'

/** The review of an outcome: the tool's own projection, post-execute policies, then the caller's cancellation. Never rejects. */
export async function review(inv: Invocation, outcome: ToolExecutionResult): Promise<ToolExecutionResult> {
  const projected = project(inv, outcome)
  const reviewed = await postExecute(inv, projected)
  // A failure, whoever made it, says more than a cancellation; only a success gives way to it.
  if (!inv.callerGone || reviewed.isError) return reviewed
  return failedWith(inv.attempts.started ? 'ABORTED' : 'ABORTED_BEFORE_DISPATCH', inv.exec.name)
}

function project(inv: Invocation, outcome: ToolExecutionResult): ToolExecutionResult {
  if (inv.projectContent === undefined) return outcome
  try {
    const content = inv.projectContent.call(inv.definition, inv.exec, outcome)
    return content === undefined ? outcome : { ...outcome, content: acceptContent(content, 'what projectContent() returned') }
  } catch (error) {
    return failedWith('INVALID_TOOL_OUTPUT', inv.exec.name, `Its projectContent() failed: ${thrownText(error)}.`)
  }
}

async function postExecute(inv: Invocation, outcome: ToolExecutionResult): Promise<ToolExecutionResult> {
  const listeners = inv.listeners.of('tools/post-execute')
  if (listeners.length === 0) return outcome
  try {
    const accept = (): PostToolDecision => ({ kind: 'accept' })
    const args = [inv.exec, Object.freeze(outcome)]
    const decision = await runWaterfall(listeners, inv.core.toolsOf(inv.scope), args, accept, { accept: acceptDecision })
    return apply(inv, outcome, decision)
  } catch (error) {
    return policyFailed(inv.exec.name, 'A post-execute policy', error)
  }
}

function acceptDecision(answer: unknown): PostToolDecision {
  const decision = answer as PostToolDecision | null | undefined
  if (decision?.kind === 'block') {
    acceptContent(decision.feedback, 'its feedback')
  } else if (decision?.kind !== 'accept') {
    throw new TypeError('It did not answer a decision: use accept or block.')
  } else if (decision.content !== undefined && decision.value !== undefined) {
    throw new TypeError('It replaced both content and value: replace one of them, the other follows.')
  }
  acceptContexts(decision.additionalContexts)
  return decision
}

function apply(inv: Invocation, outcome: ToolExecutionResult, decision: PostToolDecision): ToolExecutionResult {
  const added = acceptContexts(decision.additionalContexts)
  if (decision.kind === 'block') {
    inv.attempts.dropContexts()
    inv.attempts.addContexts(added)
    const feedback = acceptContent(decision.feedback, 'its feedback')
    const text = feedback.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
    return failedResult(failure('RESULT_BLOCKED', inv.exec.name, text), feedback)
  }
  inv.attempts.addContexts(added)
  if (decision.content !== undefined) return { ...outcome, content: acceptContent(decision.content, 'the replaced content') }
  if (decision.value === undefined) return outcome
  if (outcome.isError || !inv.callable()) throw new TypeError('A post-execute policy replaced the value of a failure, which has none.')
  const replaced = produce(inv, decision.value)
  return replaced.isError || outcome.concludesTurn === undefined ? replaced : { ...replaced, concludesTurn: true }
}
