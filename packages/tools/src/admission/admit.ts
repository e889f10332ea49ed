import type { ResolvedToolSet, ScopeKey, ToolDefinition, ToolSchema } from '../contract/tool.ts'
import type { ToolScope } from '../registry/layer.ts'
import { lookUp } from '../registry/view.ts'
import { compileTool } from '../tool/compiled.ts'

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

/** What one view of a step's tool set lists. */
export interface StepLists {
  readonly definitions: readonly ToolDefinition[]
  readonly schemas: readonly ToolSchema[]
}

const listed = new WeakMap<ReadonlyMap<string, ToolDefinition>, StepLists>()

/** The lists of a view, made once for as long as the set gives that view. */
export function stepLists(view: ReadonlyMap<string, ToolDefinition>): StepLists {
  let lists = listed.get(view)
  if (lists === undefined) {
    const definitions = Object.freeze([...view.values()])
    const schemas = definitions.map((definition) => compileTool(definition).schema)
    lists = { definitions, schemas: Object.freeze(schemas) }
    listed.set(view, lists)
  }
  return lists
}
