import type { ToolExecutionFailure } from '../contract/tool.ts'
import { failure } from '../outcome/failures.ts'
import { failedResult, failedWith } from '../outcome/outcome.ts'
import type { Invocation } from './invocation.ts'

/** What ends a call before any policy: it was refused, its arguments are not JSON, or its caller is gone. */
export function prepare(inv: Invocation): ToolExecutionFailure | undefined {
  if (inv.refusal !== undefined) return failedResult({ ...failure('DENIED', inv.exec.name), ...inv.refusal })
  if (inv.callerGone) return failedWith('ABORTED_BEFORE_DISPATCH', inv.exec.name)
  return undefined
}
