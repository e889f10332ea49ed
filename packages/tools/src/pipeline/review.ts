import type { JsonValue } from '../contract/json.ts'
import type { PostToolDecision, ToolExecutionResult } from '../contract/tool.ts'
import { failure } from '../outcome/failures.ts'
import { failedResult } from '../outcome/outcome.ts'
import { thrownText } from '../outcome/thrown.ts'
import { runWaterfall } from '../scope/waterfall.ts'
import { aborted } from './aborted.ts'
import { invalidOutput, produce } from './canonical.ts'
import { acceptContent, acceptContexts } from './content.ts'
import type { Invocation } from './invocation.ts'
import { policyFailed } from './policy-failed.ts'
import { syncAnswer } from './sync-answer.ts'

/** The review of an outcome: the tool's own projection, post-execute policies, then the caller's cancellation. Never rejects. */
export function review(inv: Invocation, outcome: ToolExecutionResult): ToolExecutionResult | Promise<ToolExecutionResult> {
  const projected = project(inv, outcome)
  return inv.listeners.of('tools/post-execute').length === 0 ? heedCaller(inv, projected) : postExecute(inv, projected)
}

/** A failure, whoever made it, says more than a cancellation; only a success gives way to it. */
function heedCaller(inv: Invocation, reviewed: ToolExecutionResult): ToolExecutionResult {
  return inv.callerGone && !reviewed.isError ? aborted(inv) : reviewed
}

/** The tool's own projection. One that fails costs a success its result; a failure it cannot take away. */
function project(inv: Invocation, outcome: ToolExecutionResult): ToolExecutionResult {
  const { projectContent, definition, exec, core, scope } = inv
  if (projectContent === undefined) return outcome
  try {
    const content = syncAnswer(projectContent.call(definition, exec, outcome), 'projectContent()')
    return content === undefined
      ? outcome
      : Object.freeze({ ...outcome, content: acceptContent(content, 'what projectContent() returned') })
  } catch (error) {
    const detail = `projectContent() failed: ${thrownText(error)}.`
    if (!outcome.isError) return invalidOutput(inv, `Its ${detail}`)
    core.report({ kind: 'project-content-failed', message: `${exec.name}: ${detail}`, tool: exec.name, callId: exec.callId }, scope)
    return outcome
  }
}

async function postExecute(inv: Invocation, outcome: ToolExecutionResult): Promise<ToolExecutionResult> {
  const listeners = inv.listeners.of('tools/post-execute')
  let reviewed: ToolExecutionResult
  try {
    const args = [inv.exec, outcome]
    const decision = await runWaterfall(listeners, inv.core.toolsOf(inv.scope), args, accept, { accept: acceptDecision })
    reviewed = apply(inv, outcome, decision)
  } catch (error) {
    reviewed = policyFailed(inv, 'A post-execute policy', error)
  }
  return heedCaller(inv, reviewed)
}

const accept = (): PostToolDecision => ({ kind: 'accept' })

/** A copy of a decision, each field read once and checked. */
function acceptDecision(answer: unknown): PostToolDecision {
  const { kind, content, value, feedback, additionalContexts } = (answer ?? {}) as Record<string, unknown>
  const contexts = additionalContexts === undefined ? undefined : { additionalContexts: acceptContexts(additionalContexts) }
  if (kind === 'block') return { kind, feedback: acceptContent(feedback, 'its feedback'), ...contexts }
  if (kind !== 'accept') throw new TypeError('It did not answer a decision: use accept or block.')
  if (content !== undefined && value !== undefined)
    throw new TypeError('It replaced both content and value: replace one of them, the other follows.')
  if (value !== undefined) return { kind, value: value as JsonValue, ...contexts } // checked as a body's would be
  return content === undefined ? { kind, ...contexts } : { kind, content: acceptContent(content, 'the replaced content'), ...contexts }
}

function apply(inv: Invocation, outcome: ToolExecutionResult, decision: PostToolDecision): ToolExecutionResult {
  if (decision.kind === 'block') {
    inv.attempts.abandon()
    inv.attempts.addContexts(decision.additionalContexts)
    const { feedback } = decision
    const text = feedback.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
    return failedResult(failure('RESULT_BLOCKED', inv.exec.name, text), feedback)
  }
  inv.attempts.addContexts(decision.additionalContexts)
  if (decision.content !== undefined) return { ...outcome, content: decision.content }
  if (decision.value === undefined) return outcome
  if (outcome.isError || !inv.callable()) throw new TypeError('A post-execute policy replaced the value of a failure, which has none.')
  return produce(inv, decision.value)
}
