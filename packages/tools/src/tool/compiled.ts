import type { ToolDefinition, ToolSchema } from '../contract/tool.ts'
import { type CompiledSchema, compileSchema } from '../schema/compile.ts'
import { inspectSchema, JsonSchemaError, rootIssues, type SchemaIssue } from '../schema/subset.ts'

/** A definition made ready: what validates its arguments and values, and what a model is told of it. */
export interface CompiledTool {
  readonly parameters: CompiledSchema
  readonly output: CompiledSchema
  /** The model-facing projection: frozen and shared, and exactly what is enforced. */
  readonly schema: ToolSchema
}

const compiledTools = new WeakMap<ToolDefinition, CompiledTool>()

/** The schemas of a definition, compiled once. @throws JsonSchemaError with every problem of both, prefixed `parameters` or `output.schema`. */
export function compileTool(definition: ToolDefinition): CompiledTool {
  return compiledTools.get(definition) ?? recompileTool(definition)
}

/** Compile a definition as it is now, whatever it was when it was compiled before. @throws JsonSchemaError as above. */
export function recompileTool(definition: ToolDefinition): CompiledTool {
  const parameters = inspectSchema(definition.parameters)
  const output = inspectSchema(definition.output?.schema)
  const misrooted = rootIssues(parameters.value)
  if (parameters.issues.length + misrooted.length + output.issues.length > 0) {
    const ofParameters = [...parameters.issues, ...misrooted].map((issue) => prefixed('parameters', issue))
    throw new JsonSchemaError([...ofParameters, ...output.issues.map((issue) => prefixed('output.schema', issue))])
  }
  const accepted = compileSchema(parameters.value as never)
  const { name, description } = definition
  const schema = Object.freeze({ name, description, parameters: accepted.schema as ToolSchema['parameters'] })
  const compiled = Object.freeze({ parameters: accepted, output: compileSchema(output.value as never), schema })
  compiledTools.set(definition, compiled)
  return compiled
}

/** The issue with its path below a field instead of the root `$`. */
export function prefixed(field: string, { path, message }: SchemaIssue): SchemaIssue {
  return { path: field + path.slice(1), message }
}
