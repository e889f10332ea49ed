import type { JsonSchemaNode } from '../contract/json.ts'
import type { ToolErrorInfo } from '../contract/tool.ts'
import { brand } from '../json/brand.ts'
import { formatPath } from '../json/path.ts'
import { inspectJson } from '../json/snapshot.ts'
import { compileSchema } from './compile.ts'
import type { ParameterSchemaSpec } from './nodes.ts'
import { parameterSchemaSpecToJsonSchema } from './spec.ts'
import type { Violation } from './violations.ts'

const MAX_SHOWN = 8
const MAX_TEXT = 3_000

/** Arguments do not fit a tool's parameters. */
export class ToolArgsError extends TypeError {
  readonly code = 'INVALID_ARGS'
  readonly info: ToolErrorInfo = { name: 'ToolArgsError', code: 'INVALID_ARGS' }
  readonly violations: readonly Violation[]

  constructor(violations: readonly Violation[]) {
    super(`The arguments do not fit. ${describeViolations(violations)}`)
    this.name = 'ToolArgsError'
    this.violations = violations
  }
}
brand(ToolArgsError, 'ToolArgsError')

/** A value does not fit a tool's output schema. */
export class ToolOutputError extends TypeError {
  readonly code = 'INVALID_TOOL_OUTPUT'
  readonly info: ToolErrorInfo = { name: 'ToolOutputError', code: 'INVALID_TOOL_OUTPUT' }
  readonly violations: readonly Violation[]

  constructor(violations: readonly Violation[]) {
    super(`The value does not fit the output schema. ${describeViolations(violations)}`)
    this.name = 'ToolOutputError'
    this.violations = violations
  }
}
brand(ToolOutputError, 'ToolOutputError')

/** Violations as a model reads them, bounded: the first few, and how many more there are. */
export function describeViolations(violations: readonly Violation[]): string {
  const single = violations.filter((violation) => violation.more === undefined)
  const shown: string[] = []
  let length = 0
  for (const { message } of single.slice(0, MAX_SHOWN)) {
    length += message.length
    if (shown.length > 0 && length > MAX_TEXT) break
    shown.push(message)
  }
  const more = single.length - shown.length + (violations.at(-1)?.more ?? 0)
  return `${shown.join('; ')}.${more > 0 ? ` And ${more} more.` : ''}`
}

/**
 * What is wrong with a value, as path-qualified texts; an empty array when it is valid. What is not lossless JSON fits no schema.
 * @param path - what the paths start with; default `$`.
 * @throws JsonSchemaError when the schema is not of the enforced subset.
 */
export function validateJsonSchemaValue(schema: JsonSchemaNode, value: unknown, path = '$'): string[] {
  const compiled = compileSchema(schema)
  const { value: frozen, problems } = inspectJson(value)
  if (problems.length > 0) return problems.slice(0, MAX_SHOWN).map((found) => `${formatPath(found.path, path)}: ${found.problem}, not JSON`)
  return compiled.violations(frozen, path).map((violation) => violation.message)
}

/** What is wrong with arguments, as path-qualified texts; an empty array when they are valid. @throws JsonSchemaError for a malformed spec. */
export function validateArgs(parameters: ParameterSchemaSpec, args: unknown): string[] {
  return validateJsonSchemaValue(parameterSchemaSpecToJsonSchema(parameters), args)
}
