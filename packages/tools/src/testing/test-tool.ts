import type { ToolDefinition } from '../contract/tool.ts'

/** A definition that takes any arguments, gives any value, and whose content is the JSON of that value. */
export function createTestTool(
  name: string,
  execute: ToolDefinition['execute'] = async () => name,
  extra: Partial<ToolDefinition> = {},
): ToolDefinition {
  return {
    name,
    description: `The tool ${name}.`,
    parameters: { type: 'object' },
    output: { schema: {}, render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
    execute,
    ...extra,
  }
}
