import { failure } from '../outcome/failures.ts'
import { failedResult, failedWith } from '../outcome/outcome.ts'
import type { Verdict } from './decide.ts'
import type { Invocation } from './invocation.ts'

/** What ends a call before any policy: it was refused, its arguments are not JSON, or its caller is gone. */
export function prepare(inv: Invocation): Verdict | undefined {
  const { exec, refusal } = inv
  if (refusal !== undefined) return { kind: 'final', outcome: failedResult({ ...failure('DENIED', exec.name), ...refusal }) }
  if (inv.callerGone) return { kind: 'final', outcome: failedWith('ABORTED_BEFORE_DISPATCH', exec.name) }
  return undefined
}
