import type { JsonSchemaNode, JsonSchemaScalar } from '../contract/json.ts'
import { isAcceptedBy, markAccepted } from '../json/mark.ts'
import { readSchema } from './subset.ts'
import { type Violation, violationsOf } from './violations.ts'

/** A schema made ready: a fast verdict, and the reasons where the verdict is no. */
export interface CompiledSchema {
  /** The schema itself, deep-frozen. */
  readonly schema: JsonSchemaNode
  /** Whether a JSON value is valid. Builds nothing; linear in the value. A snapshot is validated once. */
  accepts(value: unknown): boolean
  /** Everything that is wrong with a value; none when it is valid. */
  violations(value: unknown, path?: string): readonly Violation[]
}

type Check = (value: unknown) => boolean

/** By frozen schema. */
const compiledSchemas = new WeakMap<JsonSchemaNode, CompiledSchema>()

/**
 * Compile a schema, once, into closures: no code generation, so it runs under any content security policy. A frozen schema that
 * was compiled before is given what it got then.
 * @throws JsonSchemaError with every problem of the schema.
 */
export function compileSchema(source: JsonSchemaNode): CompiledSchema {
  const schema = readSchema(source)
  let compiled = compiledSchemas.get(schema)
  if (compiled === undefined) {
    compiled = toCompiled(schema)
    compiledSchemas.set(schema, compiled)
  }
  return compiled
}

function toCompiled(schema: JsonSchemaNode): CompiledSchema {
  const check = compileNode(schema)
  return {
    schema,
    accepts(value) {
      if (typeof value !== 'object' || value === null) return check(value)
      if (isAcceptedBy(value, schema)) return true
      const valid = check(value)
      if (valid) markAccepted(value, schema)
      return valid
    },
    violations(value, path) {
      return check(value) ? [] : violationsOf(schema, value, path)
    },
  }
}

function compileNode(node: JsonSchemaNode): Check {
  if (node.oneOf) return compileOneOf(node.oneOf)
  switch (node.type) {
    case undefined:
      return () => true
    case 'object':
      return compileObject(node)
    case 'array':
      return compileArray(node)
    default:
      return compileScalar(node)
  }
}

function compileScalar(node: JsonSchemaNode): Check {
  const values = Object.hasOwn(node, 'const') ? [node.const as JsonSchemaScalar] : node.enum
  const both = Object.hasOwn(node, 'const') && node.enum ? node.enum.includes(node.const as JsonSchemaScalar) : true
  if (!both) return () => false
  if (values?.length === 1) {
    const only = values[0]
    return (value) => value === only
  }
  if (values) {
    const allowed = new Set<unknown>(values)
    return (value) => allowed.has(value)
  }
  switch (node.type) {
    case 'string':
      return (value) => typeof value === 'string'
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'null':
      return (value) => value === null
    case 'integer':
      return (value) => Number.isInteger(value)
    default:
      return (value) => typeof value === 'number' && Number.isFinite(value)
  }
}

function compileArray(node: JsonSchemaNode): Check {
  if (!node.items) return (value) => Array.isArray(value)
  const item = compileNode(node.items)
  return (value) => {
    if (!Array.isArray(value)) return false
    for (let index = 0; index < value.length; index++) if (!item(value[index])) return false
    return true
  }
}

function compileObject(node: JsonSchemaNode): Check {
  const required = new Set(node.required)
  const known = new Map(Object.entries(node.properties ?? {}))
  const properties = [...known].map(([name, property]) => ({ name, required: required.has(name), check: compileNode(property) }))
  const closed = node.additionalProperties === false
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    for (const { name, required, check } of properties) {
      if (!Object.hasOwn(value, name)) {
        if (required) return false
      } else if (!check((value as Record<string, unknown>)[name])) return false
    }
    if (closed) for (const key of Object.keys(value)) if (!known.has(key)) return false
    return true
  }
}

function compileOneOf(branches: readonly JsonSchemaNode[]): Check {
  const checks = branches.map(compileNode)
  return (value) => {
    let matches = 0
    for (const check of checks) if (check(value) && ++matches > 1) return false
    return matches === 1
  }
}
