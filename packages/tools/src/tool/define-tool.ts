import type { ContentBlock } from '../contract/content.ts'
import type { JsonValue } from '../contract/json.ts'
import type { ToolCallView, ToolResultView } from '../contract/presentation.ts'
import type { ToolDefinition, ToolResult, ToolRunContext } from '../contract/tool.ts'
import type { InferArgs, InferValue } from '../schema/infer.ts'
import type { ParameterSchemaSpec, ValueSchemaSpec } from '../schema/nodes.ts'
import { parameterSchemaSpecToJsonSchema, valueSchemaSpecToJsonSchema } from '../schema/spec.ts'
import { ToolArgsError } from '../schema/validate.ts'
import { compileTool } from './compiled.ts'

/** A tool as its author writes it: parameters and output in the DSL, everything else typed by them. */
export interface TypedToolDefinition<P extends ParameterSchemaSpec, O extends ValueSchemaSpec>
  extends Pick<ToolDefinition, 'name' | 'description' | 'timeoutMs' | 'effects' | 'projectContent' | 'finalizeContent'> {
  readonly parameters: P
  readonly output: {
    readonly schema: O
    readonly undefinedProperties?: 'omit' | 'refuse'
    /** Model-facing content of a value. Default: a text as it is, anything else as JSON. */
    render?(args: InferArgs<P>, value: InferValue<O>): ContentBlock[]
    presentationMeta?(args: InferArgs<P>, value: InferValue<O>): JsonValue
  }
  execute(args: InferArgs<P>, exec: ToolRunContext): Promise<InferValue<O>>
  isConcurrencySafe?(args: InferArgs<P>): boolean
  presentCall?(args: InferArgs<P>): ToolCallView | undefined
  presentResult?(args: InferArgs<P>, result: ToolResult): ToolResultView | undefined
}

/**
 * Declare a tool. Arguments are validated before any of its functions sees them: `execute` fails with `ToolArgsError`,
 * `isConcurrencySafe` answers false and the presenters undefined for arguments that do not fit.
 * @throws JsonSchemaError with every problem of the two schemas.
 */
export function defineTool<const P extends ParameterSchemaSpec, const O extends ValueSchemaSpec>(
  tool: TypedToolDefinition<P, O>,
): ToolDefinition {
  type Args = InferArgs<P>
  type Value = InferValue<O>
  const { output, isConcurrencySafe, presentCall, presentResult } = tool
  const valid = (args: unknown): args is Args => compileTool(definition).parameters.accepts(args)
  const definition: ToolDefinition = {
    name: tool.name,
    description: tool.description,
    parameters: parameterSchemaSpecToJsonSchema(tool.parameters),
    output: {
      schema: valueSchemaSpecToJsonSchema(output.schema),
      ...(output.undefinedProperties && { undefinedProperties: output.undefinedProperties }),
      render: (args, value) => (output.render ? output.render(args as Args, value as Value) : renderPlainly(value)),
      ...(output.presentationMeta && {
        presentationMeta: (args, value) => output.presentationMeta?.(args as Args, value as Value) as JsonValue,
      }),
    },
    async execute(args, exec) {
      if (!valid(args)) throw new ToolArgsError(compileTool(definition).parameters.violations(args))
      return tool.execute(args, exec)
    },
    ...(tool.timeoutMs !== undefined && { timeoutMs: tool.timeoutMs }),
    ...(tool.effects && { effects: tool.effects }),
    ...(tool.projectContent && { projectContent: tool.projectContent }),
    ...(tool.finalizeContent && { finalizeContent: tool.finalizeContent }),
    ...(isConcurrencySafe && { isConcurrencySafe: (args) => valid(args) && isConcurrencySafe.call(tool, args) }),
    ...(presentCall && { presentCall: (args) => (valid(args) ? presentCall.call(tool, args) : undefined) }),
    ...(presentResult && { presentResult: (args, result) => (valid(args) ? presentResult.call(tool, args, result) : undefined) }),
  }
  return definition
}

function renderPlainly(value: JsonValue): ContentBlock[] {
  return [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }]
}
