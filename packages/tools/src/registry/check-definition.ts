import type { ToolDefinition, ToolRegistrationOptions } from '../contract/tool.ts'
import { isBranded } from '../json/brand.ts'
import type { JsonSchemaError } from '../schema/subset.ts'
import { type CompiledTool, recompileTool } from '../tool/compiled.ts'

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const EFFECTS = new Set(['none', 'idempotent', 'unknown'])
const OPTIONAL_FUNCTIONS = ['projectContent', 'finalizeContent', 'isConcurrencySafe', 'access', 'presentCall', 'presentResult'] as const

/** Check and compile a definition that arrives from anywhere. @throws TypeError that lists every problem at once. */
export function checkDefinition(
  definition: ToolDefinition,
  inLayer: ReadonlyMap<string, unknown>,
  { when }: ToolRegistrationOptions,
): CompiledTool {
  if (typeof definition !== 'object' || definition === null) throw new TypeError('A tool definition must be an object.')
  const problems = [...fieldProblems(definition)]
  if (inLayer.has(definition.name)) {
    problems.push('a tool of this name is already registered in this scope: dispose it first, or shadow it in a child scope')
  }
  if (when !== undefined && typeof when !== 'function') problems.push('when must be a function')
  let compiled: CompiledTool | undefined
  try {
    compiled = recompileTool(definition)
  } catch (error) {
    if (!isBranded(error, 'JsonSchemaError')) throw error
    for (const issue of (error as JsonSchemaError).issues) problems.push(`${issue.path} ${issue.message}`)
  }
  if (compiled === undefined || problems.length > 0) {
    const name = typeof definition.name === 'string' ? JSON.stringify(definition.name) : 'without a name'
    throw new TypeError(`The tool ${name} cannot be registered:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
  return compiled
}

function* fieldProblems(definition: ToolDefinition): Generator<string> {
  const { name, output, timeoutMs, effects } = definition
  if (name === 'run_code') yield 'the name "run_code" is reserved for programs'
  else if (typeof name !== 'string' || !NAME.test(name)) yield 'name must be 1 to 64 of the characters A-Z a-z 0-9 _ -'
  if (typeof definition.description !== 'string') yield 'description must be a string'
  if (typeof definition.execute !== 'function') yield 'execute must be a function'
  if (typeof output !== 'object' || output === null) yield 'output must declare the canonical value: { schema, render }'
  else yield* outputProblems(output)
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    yield 'timeoutMs must be a positive finite number of milliseconds'
  }
  if (effects !== undefined && !EFFECTS.has(effects)) yield "effects must be 'none', 'idempotent' or 'unknown'"
  for (const field of OPTIONAL_FUNCTIONS) {
    if (definition[field] !== undefined && typeof definition[field] !== 'function') yield `${field} must be a function`
  }
}

function* outputProblems(output: ToolDefinition['output']): Generator<string> {
  if (typeof output.render !== 'function') yield 'output.render must be a function'
  if (output.presentationMeta !== undefined && typeof output.presentationMeta !== 'function') {
    yield 'output.presentationMeta must be a function'
  }
  if (output.undefinedProperties !== undefined && !['omit', 'refuse'].includes(output.undefinedProperties)) {
    yield "output.undefinedProperties must be 'omit' or 'refuse'"
  }
}
