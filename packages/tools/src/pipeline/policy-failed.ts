import type { ToolExecutionFailure } from '../contract/tool.ts'
import { isBranded } from '../json/brand.ts'
import { failedWith } from '../outcome/outcome.ts'
import { thrownText } from '../outcome/thrown.ts'
import type { ListenerError } from '../scope/waterfall.ts'

/**
 * The outcome of a policy that broke. The model learns which one; what exactly went wrong inside it is for people and logs.
 * @param where - what the policy was, for one that has no label.
 */
export function policyFailed(tool: string, where: string, error: unknown): ToolExecutionFailure {
  if (!isBranded(error, 'ListenerError')) return failedWith('POLICY_FAILED', tool, `${where} failed.`, thrownText(error))
  const { label, cause } = error as ListenerError
  return failedWith('POLICY_FAILED', tool, `The listener ${JSON.stringify(label)} failed.`, thrownText(cause))
}
