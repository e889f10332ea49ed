import type { ResolvedToolSet, ScopeKey, ToolDefinition } from '../contract/tool.ts'
import type { ToolScope } from '../registry/layer.ts'
import { lookUp } from '../registry/view.ts'

/** The definition a call may execute: what its step admits or, without a step, what is visible and unconditional. */
export function admitted(
  scope: ToolScope,
  name: string,
  key: ScopeKey | undefined,
  toolSet: ResolvedToolSet | undefined,
): ToolDefinition | undefined {
  if (toolSet !== undefined) return scope.disposed ? undefined : toolSet.view(key).get(name)
  const registration = lookUp(scope, name)
  return registration?.when === undefined ? registration?.definition : undefined
}
