import type { ToolExecutionFailure } from '../contract/tool.ts'
import { isBranded } from '../json/brand.ts'
import { failedWith } from '../outcome/outcome.ts'
import { thrownText } from '../outcome/thrown.ts'
import type { ListenerError } from '../scope/waterfall.ts'
import type { Invocation } from './invocation.ts'

/**
 * The outcome of a policy that broke. The model learns which one; what exactly went wrong inside it is for people: in the
 * failure's reason, and in the host's log.
 * @param where - what the policy was, for one that has no label.
 */
export function policyFailed({ core, exec }: Invocation, where: string, error: unknown): ToolExecutionFailure {
  if (!isBranded(error, 'ListenerError')) {
    core.policyFailed(new Error(`${where} failed on a call of ${exec.name}: ${thrownText(error)}`, { cause: error }))
    return failedWith('POLICY_FAILED', exec.name, `${where} failed.`, thrownText(error))
  }
  const { label, cause } = error as ListenerError
  core.policyFailed(error)
  return failedWith('POLICY_FAILED', exec.name, `The listener ${JSON.stringify(label)} failed.`, thrownText(cause))
}
