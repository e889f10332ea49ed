import type { JsonSchemaNode, ObjectJsonSchema } from '../contract/json.ts'
import { isBranded } from '../json/brand.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { isJsonObject } from '../json/text.ts'
import type { ParameterSchemaSpec, ValueSchemaSpec } from './nodes.ts'
import { assertSupportedJsonSchema, JsonSchemaError, type SchemaIssue } from './subset.ts'

/** The raw schema of a tool's parameters: an open object. @throws JsonSchemaError with every problem of the spec. */
export function parameterSchemaSpecToJsonSchema(spec: ParameterSchemaSpec): ObjectJsonSchema {
  return compile(spec, (frozen) => lowerProperties(frozen, undefined, [])) as ObjectJsonSchema
}

/** The raw schema of a value. @throws JsonSchemaError with every problem of the spec. */
export function valueSchemaSpecToJsonSchema(spec: ValueSchemaSpec): JsonSchemaNode {
  return compile(spec, (frozen) => lower(frozen, []))
}

type Path = readonly (string | number)[]
type Raw = Record<string, unknown>

function compile(spec: unknown, lowerRoot: (frozen: unknown) => unknown): JsonSchemaNode {
  let schema: unknown
  try {
    schema = snapshotJson(lowerRoot(snapshotJson(spec)))
  } catch (error) {
    if (!isBranded(error, 'JsonValueError')) throw error
    const { path, message } = error as Error & { readonly path: string }
    throw new JsonSchemaError([{ path, message: message.slice(path.length + 1) }])
  }
  assertSupportedJsonSchema(schema)
  return schema
}

function lower(spec: unknown, path: Path): unknown {
  if (!isJsonObject(spec)) return spec // the subset check names it
  const { required: _perProperty, ...node } = spec as Raw
  if (node['type'] === 'json') {
    const { type: _any, ...annotations } = node
    return annotations
  }
  if (node['type'] === 'object') return lowerObject(node, path)
  if (node['type'] === 'array' && 'items' in node) return { ...node, items: lower(node['items'], path) }
  if (Array.isArray(node['oneOf'])) return { ...node, oneOf: node['oneOf'].map((branch, index) => lower(branch, [...path, index])) }
  return node
}

function lowerObject(node: Raw, path: Path): unknown {
  const { properties, additionalProperties, ...rest } = node
  if (typeof additionalProperties !== 'boolean') {
    const issue: SchemaIssue = {
      path: `$${path.map((step) => `.${step}`).join('')}`,
      message: 'is an object that must say additionalProperties: true or false',
    }
    throw new JsonSchemaError([issue])
  }
  return { ...(lowerProperties(properties ?? {}, additionalProperties, path) as Raw), ...rest }
}

function lowerProperties(properties: unknown, additionalProperties: boolean | undefined, path: Path): unknown {
  if (!isJsonObject(properties)) return { type: 'object', properties }
  const entries = Object.keys(properties).map((name) => [name, Object.getOwnPropertyDescriptor(properties, name)?.value] as const)
  const wrong = entries.filter(([, spec]) => isJsonObject(spec) && 'required' in spec && spec['required'] !== true)
  if (wrong.length > 0) {
    throw new JsonSchemaError(
      wrong.map(([name]) => ({ path: `$.${[...path, name].join('.')}.required`, message: 'must be true, or be left out' })),
    )
  }
  const required = entries.flatMap(([name, spec]) => (isJsonObject(spec) && spec['required'] === true ? [name] : []))
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, spec]) => [name, lower(spec, [...path, name])])),
    ...(required.length > 0 && { required }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  }
}
