import { expect, test } from 'vitest'
import type { ToolDefinition } from '../contract/tool.ts'
import type { JsonSchemaError } from '../schema/subset.ts'
import { compileTool } from './compiled.ts'

const tool = (parameters: unknown, schema: unknown): ToolDefinition => ({
  name: 't',
  description: '',
  parameters: parameters as never,
  output: { schema: schema as never, render: () => [] },
  execute: async () => null,
})
const problemsOf = (definition: unknown): string[] => {
  try {
    compileTool(definition as ToolDefinition)
  } catch (error) {
    return (error as JsonSchemaError).issues.map(({ path, message }) => `${path} ${message}`)
  }
  return []
}

test('both schemas of a definition are compiled, once', () => {
  const definition = tool({ type: 'object', properties: { a: { type: 'string' } } }, { type: 'integer' })
  const compiled = compileTool(definition)
  expect(compileTool(definition)).toBe(compiled)
  expect([compiled.parameters.accepts({ a: 1 }), compiled.parameters.accepts({}), compiled.output.accepts(1)]).toEqual([false, true, true])
})

test('every problem of both schemas is reported, with the field it is in', () => {
  expect(problemsOf(tool({ type: 'array', items: { minLength: 1 } }, { type: 'text' }))).toEqual([
    'parameters.items.minLength is a keyword that is not enforced here, so it cannot be used',
    "parameters.type must be 'object' at the root",
    'output.schema.type must be one of object, array, string, number, integer, boolean, null',
  ])
})

test('a definition without schemas is refused, not crashed on', () => {
  expect(problemsOf({ name: 't' })).toEqual(['parameters is undefined', 'output.schema is undefined'])
})
