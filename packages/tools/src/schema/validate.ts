import type { JsonSchemaNode } from '../contract/json.ts'
import { brand } from '../json/brand.ts'
import { compileSchema } from './compile.ts'
import type { ParameterSchemaSpec } from './nodes.ts'
import { parameterSchemaSpecToJsonSchema } from './spec.ts'
import type { Violation } from './violations.ts'

const SHOWN = 8

/** Arguments do not fit a tool's parameters. */
export class ToolArgsError extends TypeError {
  readonly code = 'INVALID_ARGS'
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
  readonly violations: readonly Violation[]

  constructor(violations: readonly Violation[]) {
    super(`The value does not fit the output schema. ${describeViolations(violations)}`)
    this.name = 'ToolOutputError'
    this.violations = violations
  }
}
brand(ToolOutputError, 'ToolOutputError')

/** Violations as a model reads them: the first few, and how many there are. */
export function describeViolations(violations: readonly Violation[]): string {
  const more = violations.length > SHOWN ? ` And ${violations.length - SHOWN} more.` : ''
  return `${violations
    .slice(0, SHOWN)
    .map((violation) => violation.message)
    .join('; ')}.${more}`
}

/**
 * What is wrong with a value, as path-qualified texts; an empty array when it is valid.
 * @param path - what the paths start with; default `$`.
 * @throws JsonSchemaError when the schema is not of the enforced subset.
 */
export function validateJsonSchemaValue(schema: JsonSchemaNode, value: unknown, path?: string): string[] {
  return compileSchema(schema)
    .violations(value, path)
    .map((violation) => violation.message)
}

/** What is wrong with arguments, as path-qualified texts; an empty array when they are valid. @throws JsonSchemaError for a malformed spec. */
export function validateArgs(parameters: ParameterSchemaSpec, args: unknown): string[] {
  return validateJsonSchemaValue(parameterSchemaSpecToJsonSchema(parameters), args)
}
