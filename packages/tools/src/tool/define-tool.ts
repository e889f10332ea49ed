import type { ContentBlock } from '../contract/content.ts'
import type { JsonValue } from '../contract/json.ts'
import type { ToolCallView, ToolResultView } from '../contract/presentation.ts'
import type { ToolAccess, ToolDefinition, ToolResult, ToolRunContext } from '../contract/tool.ts'
import { isBranded } from '../json/brand.ts'
import { textContent } from '../outcome/text-content.ts'
import type { InferArgs, InferValue } from '../schema/infer.ts'
import type { ParameterSchemaSpec, ValueSchemaSpec } from '../schema/nodes.ts'
import { parameterSchemaSpecToJsonSchema, valueSchemaSpecToJsonSchema } from '../schema/spec.ts'
import { JsonSchemaError, type SchemaIssue } from '../schema/subset.ts'
import { ToolArgsError } from '../schema/validate.ts'
import { compileTool, prefixed } from './compiled.ts'

/**
 * A tool as its author writes it: parameters and output in the DSL, everything else typed by them. `R` is what the body returns:
 * a parameter of its own, because TypeScript would widen the literals in a returned object otherwise.
 */
export interface TypedToolDefinition<P extends ParameterSchemaSpec, O extends ValueSchemaSpec, R = InferValue<O>>
  extends Pick<ToolDefinition, 'name' | 'description' | 'timeoutMs' | 'effects' | 'projectContent' | 'finalizeContent'> {
  readonly parameters: P
  readonly output: {
    readonly schema: O
    readonly undefinedProperties?: 'omit' | 'refuse'
    /** Model-facing content of a value. Default: a text as it is, anything else as JSON. */
    render?(args: InferArgs<P>, value: InferValue<O>): ContentBlock[]
    presentationMeta?(args: InferArgs<P>, value: InferValue<O>): JsonValue
  }
  execute(args: InferArgs<P>, exec: ToolRunContext): Promise<R>
  isConcurrencySafe?(args: InferArgs<P>): boolean
  access?(args: InferArgs<P>): ToolAccess | undefined
  presentCall?(args: InferArgs<P>): ToolCallView | undefined
  presentResult?(args: InferArgs<P>, result: ToolResult): ToolResultView | undefined
}

/**
 * Declare a tool. Arguments are validated before any of its functions sees them: `execute` fails with `ToolArgsError`,
 * `isConcurrencySafe` answers false, `access` and the presenters undefined for arguments that do not fit.
 * @throws JsonSchemaError with every problem of the two schemas, prefixed `parameters` or `output.schema`.
 */
export function defineTool<const P extends ParameterSchemaSpec, const O extends ValueSchemaSpec, const R extends InferValue<O>>(
  tool: TypedToolDefinition<P, O, R>,
): ToolDefinition {
  type Args = InferArgs<P>
  type Value = InferValue<O>
  const issues: SchemaIssue[] = []
  const parameters = lowered('parameters', () => parameterSchemaSpecToJsonSchema(tool.parameters), issues)
  const schema = lowered('output.schema', () => valueSchemaSpecToJsonSchema(tool.output?.schema), issues)
  if (parameters === undefined || schema === undefined)
    throw new JsonSchemaError(issues, `A schema of the tool ${JSON.stringify(tool.name)}`)
  const { output, isConcurrencySafe, access, presentCall, presentResult } = tool
  const valid = (args: unknown): args is Args => compileTool(definition).parameters.accepts(args)
  const definition: ToolDefinition = {
    name: tool.name,
    description: tool.description,
    parameters,
    output: {
      schema,
      ...(output.undefinedProperties && { undefinedProperties: output.undefinedProperties }),
      render: (args, value) => (output.render ? output.render(args as Args, value as Value) : renderPlainly(value)),
      ...(output.presentationMeta && {
        presentationMeta: (args, value) => output.presentationMeta?.(args as Args, value as Value) as JsonValue,
      }),
    },
    execute(args, exec) {
      if (!valid(args)) return Promise.reject(new ToolArgsError(compileTool(definition).parameters.violations(args)))
      try {
        return Promise.resolve(tool.execute(args, exec))
      } catch (error) {
        return Promise.reject(error)
      }
    },
    ...(tool.timeoutMs !== undefined && { timeoutMs: tool.timeoutMs }),
    ...(tool.effects && { effects: tool.effects }),
    ...(tool.projectContent && { projectContent: tool.projectContent }),
    ...(tool.finalizeContent && { finalizeContent: tool.finalizeContent }),
    ...(isConcurrencySafe && { isConcurrencySafe: (args) => valid(args) && isConcurrencySafe.call(tool, args) }),
    ...(access && { access: (args) => (valid(args) ? access.call(tool, args) : undefined) }),
    ...(presentCall && { presentCall: (args) => (valid(args) ? presentCall.call(tool, args) : undefined) }),
    ...(presentResult && { presentResult: (args, result) => (valid(args) ? presentResult.call(tool, args, result) : undefined) }),
  }
  return definition
}

/** What a spec is lowered to; undefined after its problems went to `issues`. */
function lowered<T>(field: string, lower: () => T, issues: SchemaIssue[]): T | undefined {
  try {
    return lower()
  } catch (error) {
    if (!isBranded(error, 'JsonSchemaError')) throw error
    issues.push(...(error as JsonSchemaError).issues.map((issue) => prefixed(field, issue)))
    return undefined
  }
}

function renderPlainly(value: JsonValue): ContentBlock[] {
  return textContent(typeof value === 'string' ? value : JSON.stringify(value))
}
