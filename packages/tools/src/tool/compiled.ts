import type { JsonSchemaNode } from '../contract/json.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import { isBranded } from '../json/brand.ts'
import { type CompiledSchema, compileSchema } from '../schema/compile.ts'
import { JsonSchemaError, type SchemaIssue } from '../schema/subset.ts'

/** The two schemas of a definition, ready to validate. */
export interface CompiledTool {
  readonly parameters: CompiledSchema
  readonly output: CompiledSchema
}

const compiledTools = new WeakMap<ToolDefinition, CompiledTool>()

/** Compile a definition's schemas, once. @throws JsonSchemaError with every problem of both. */
export function compileTool(definition: ToolDefinition): CompiledTool {
  let compiled = compiledTools.get(definition)
  if (compiled === undefined) {
    const issues: SchemaIssue[] = []
    const parameters = attempt('parameters', definition.parameters, issues)
    const output = attempt('output.schema', definition.output?.schema, issues)
    if (parameters && parameters.schema.type !== 'object') issues.push({ path: 'parameters.type', message: "must be 'object' at the root" })
    if (parameters === undefined || output === undefined || issues.length > 0) throw new JsonSchemaError(issues)
    compiled = Object.freeze({ parameters, output })
    compiledTools.set(definition, compiled)
  }
  return compiled
}

function attempt(part: string, schema: JsonSchemaNode, issues: SchemaIssue[]): CompiledSchema | undefined {
  try {
    return compileSchema(schema)
  } catch (error) {
    if (!isBranded(error, 'JsonSchemaError')) throw error
    for (const issue of (error as JsonSchemaError).issues) issues.push({ path: issue.path.replace('$', part), message: issue.message })
    return undefined
  }
}
