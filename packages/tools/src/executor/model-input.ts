import type { ToolModelInput } from '../contract/executor.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import { compileTool } from '../tool/compiled.ts'

const described = new WeakMap<readonly ToolDefinition[], ToolModelInput>()

/** Every tool as a function of its own. The same list of definitions, as a cached view gives it, is described once. */
export function modelInputOf(tools: readonly ToolDefinition[]): ToolModelInput {
  let input = described.get(tools)
  if (input === undefined) {
    const schemas = tools.map((tool) => compileTool(tool).schema)
    input = Object.freeze({ schemas: Object.freeze(schemas), knownNames: Object.freeze(schemas.map(({ name }) => name)) })
    described.set(tools, input)
  }
  return input
}
