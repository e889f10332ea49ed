import type { PreToolDecision, ToolErrorInfo, ToolExecutionFailure } from '../contract/tool.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { failedResult, failedWith } from '../outcome/outcome.ts'
import { describeViolations } from '../schema/validate.ts'
import { runWaterfall } from '../scope/waterfall.ts'
import { approve } from './approve.ts'
import type { Invocation } from './invocation.ts'
import { policyFailed } from './policy-failed.ts'
import { syncAnswer } from './sync-answer.ts'

/** Go on, refuse with an outcome that policies may review, or end with one that nobody reviews: policy itself broke, or was never reached. */
export type Verdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'refused'; readonly outcome: ToolExecutionFailure }
  | { readonly kind: 'final'; readonly outcome: ToolExecutionFailure }

const GO: Verdict = { kind: 'go' }
const allow = (): PreToolDecision => ({ kind: 'allow' })

/** The policy stages: pre-execute, validation, approval, guards. A call of a tool that does not exist is guarded, never asked for. */
export function decide(inv: Invocation): Verdict | Promise<Verdict> {
  return inv.listeners.of('tools/pre-execute').length === 0 ? follow(inv, allow()) : ask(inv)
}

function ask(inv: Invocation): Promise<Verdict> {
  const { core, exec, scope } = inv
  const listeners = inv.listeners.of('tools/pre-execute')
  return runWaterfall(listeners, core.toolsOf(scope), [exec], allow, { accept: acceptDecision }).then(
    (decision) => follow(inv, decision),
    (error) => ({ kind: 'final', outcome: policyFailed(inv, 'A pre-execute policy', error) }),
  )
}

/** What comes of a decision. */
function follow(inv: Invocation, decision: PreToolDecision): Verdict | Promise<Verdict> {
  const { exec } = inv
  if (decision.kind === 'deny') return denied(inv, decision)
  if (decision.kind === 'cancel' || inv.callerGone) return refused(failedWith('ABORTED_BEFORE_DISPATCH', exec.name))
  if (!inv.callable()) return checkGuards(inv)
  const { parameters } = inv.compiled
  if (!parameters.accepts(exec.arguments)) {
    return refused(failedWith('INVALID_ARGS', exec.name, describeViolations(parameters.violations(exec.arguments))))
  }
  if (decision.kind !== 'ask') return checkGuards(inv)
  return approve(inv, decision).then((refusal) => (refusal ? refused(refusal) : checkGuards(inv)))
}

/** A copy of a decision, each field read once and checked. */
function acceptDecision(answer: unknown): PreToolDecision {
  const { kind, reason, info, displayReason } = (answer ?? {}) as Record<string, unknown>
  switch (kind) {
    case 'allow':
    case 'cancel':
      return { kind }
    case 'ask':
      return {
        kind,
        ...(typeof reason === 'string' && { reason }),
        ...(displayReason !== undefined && { displayReason: snapshotJson(displayReason) as { readonly en: string } }),
      }
    case 'deny':
      if (typeof reason !== 'string') throw new TypeError('It denied the call without a reason.')
      return { kind, reason, ...acceptIdentity(info) }
    default:
      throw new TypeError(`It answered ${answer === undefined ? 'nothing' : 'no decision'}: return next(), or allow, deny, cancel or ask.`)
  }
}

/** The identity a denial brings, or none: one that is no identity costs the denial its code, never its force. */
function acceptIdentity(info: unknown): { readonly info?: ToolErrorInfo } {
  const { name, code, reason } = (info ?? {}) as Record<string, unknown>
  if (typeof name !== 'string' || typeof code !== 'string' || code === '') return {}
  return { info: { name, code, ...(typeof reason === 'string' && { reason }) } }
}

function denied(inv: Invocation, { reason, info }: Extract<PreToolDecision, { kind: 'deny' }>): Verdict {
  const plain = failedWith('DENIED', inv.exec.name, reason)
  return refused(info === undefined ? plain : failedResult({ message: plain.error.message, info }))
}

function checkGuards(inv: Invocation): Verdict {
  try {
    for (const guard of inv.guards) {
      const reason: unknown = guard(inv.exec)
      if (typeof reason === 'string') return refused(failedWith('GUARD_DENIED', inv.exec.name, reason))
      if (syncAnswer(reason, 'a guard') !== undefined)
        throw new TypeError('a guard must answer a reason or undefined, not a boolean or anything else')
    }
  } catch (error) {
    return { kind: 'final', outcome: policyFailed(inv, 'A guard', error) }
  }
  return inv.callerGone ? refused(failedWith('ABORTED_BEFORE_DISPATCH', inv.exec.name)) : GO
}

function refused(outcome: ToolExecutionFailure): Verdict {
  return { kind: 'refused', outcome }
}
