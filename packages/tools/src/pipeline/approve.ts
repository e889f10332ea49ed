import type { ApprovalAnswer, ApprovalService } from '../contract/ports.ts'
import type { PreToolDecision, ToolExecutionFailure } from '../contract/tool.ts'
import type { FailureCode } from '../outcome/failures.ts'
import { failedWith } from '../outcome/outcome.ts'
import { thrownText } from '../outcome/thrown.ts'
import { serviceAt } from '../scope/services.ts'
import type { Invocation } from './invocation.ts'

type Ask = Extract<PreToolDecision, { kind: 'ask' }>

/**
 * Ask for the approval of a call. Only `allowed-once` from a living caller lets it go on; everything else is the refusal
 * that this returns, saying which.
 */
export async function approve(inv: Invocation, ask: Ask): Promise<ToolExecutionFailure | undefined> {
  const { exec } = inv
  const refuse = (code: FailureCode, detail?: string, reason?: string) => failedWith(code, exec.name, detail, reason)
  if (exec.agent === undefined)
    return refuse('APPROVAL_UNAVAILABLE', 'the call belongs to no agent through which somebody could be asked: pass agent with it.')
  let refusal: ToolExecutionFailure | undefined
  try {
    const service = serviceAt(inv.scope, 'approval')
    if (service === undefined) return refuse('APPROVAL_UNAVAILABLE', 'no approval service is mounted.')
    if (!isApprovalService(service))
      return refuse('APPROVAL_UNAVAILABLE', 'the service mounted as "approval" cannot be asked: it has no request().')
    refusal = judge(await service.request(toRequest(inv, ask)), refuse)
  } catch (error) {
    refusal = refuse('APPROVAL_UNAVAILABLE', 'the approval service failed.', thrownText(error))
  }
  // The caller's going withdraws the request: whatever came back, nobody is recorded as having refused.
  return inv.callerGone ? refuse('ABORTED_BEFORE_DISPATCH') : refusal
}

function toRequest({ exec, signals }: Invocation, { reason, displayReason }: Ask) {
  return {
    exec,
    signal: signals.read(),
    ...(reason !== undefined && { reason }),
    ...(displayReason !== undefined && { displayReason }),
  }
}

function judge(answer: unknown, refuse: (code: FailureCode, detail?: string) => ToolExecutionFailure): ToolExecutionFailure | undefined {
  const { outcome, note, expired } = (answer ?? {}) as Partial<ApprovalAnswer>
  if (expired === true) return refuse('APPROVAL_EXPIRED')
  switch (outcome) {
    case 'allowed-once':
      return undefined
    case 'rejected':
      return refuse('APPROVAL_REJECTED', typeof note === 'string' && note !== '' ? `They said: ${note}` : undefined)
    case 'cancelled':
      return refuse('APPROVAL_CANCELLED')
    case 'unavailable':
      return refuse('APPROVAL_UNAVAILABLE', typeof note === 'string' && note !== '' ? note : 'nobody is there to be asked.')
    default:
      return refuse(
        'APPROVAL_UNAVAILABLE',
        'the approval service gave an answer that is none: outcome must be allowed-once, rejected, cancelled or unavailable.',
      )
  }
}

function isApprovalService(service: unknown): service is ApprovalService {
  return typeof (service as Partial<ApprovalService> | null)?.request === 'function'
}
