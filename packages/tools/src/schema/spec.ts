import type { JsonSchemaNode, JsonValue, ObjectJsonSchema } from '../contract/json.ts'
import { formatPath, type Path } from '../json/path.ts'
import { adoptJson, setOwn } from '../json/snapshot.ts'
import { isJsonObject } from '../json/text.ts'
import type { ParameterSchemaSpec, ValueSchemaSpec } from './nodes.ts'
import { acceptSchema, inspectLossless, JsonSchemaError, MAX_DEPTH, type SchemaIssue, schemaIssues } from './subset.ts'

/**
 * The raw schema of a tool's parameters, deep-frozen: an open object.
 * @throws JsonSchemaError with every problem of the spec; paths are those of the spec.
 */
export function parameterSchemaSpecToJsonSchema(spec: ParameterSchemaSpec): ObjectJsonSchema {
  const { value, issues } = inspectLossless(spec)
  const lowering = new Lowering(issues)
  if (!isJsonObject(value)) {
    throw new JsonSchemaError(issues.length > 0 ? issues : [{ path: '$', message: 'must be an object of properties' }])
  }
  const object = lowering.properties(value, [])
  const lowered = object['properties'] as Node
  const all = Object.keys(value).reduce<readonly SchemaIssue[]>(
    (known, name) => schemaIssues(lowered[name] as JsonValue, known, [name]),
    lowering.issues,
  )
  return finish(object, all, lowering.hasOneOf) as ObjectJsonSchema
}

/**
 * The raw schema of a value, deep-frozen.
 * @throws JsonSchemaError with every problem of the spec; paths are those of the spec.
 */
export function valueSchemaSpecToJsonSchema(spec: ValueSchemaSpec): JsonSchemaNode {
  const { value, issues } = inspectLossless(spec)
  const lowering = new Lowering(issues)
  const lowered = lowering.node(value, [])
  return finish(lowered, schemaIssues(lowered, lowering.issues), lowering.hasOneOf)
}

/** What was lowered is made of fresh objects and of parts of the spec's snapshot. */
function finish(lowered: JsonValue, issues: readonly SchemaIssue[], hasOneOf: boolean): JsonSchemaNode {
  if (issues.length > 0) throw new JsonSchemaError(issues)
  return acceptSchema(adoptJson(lowered), hasOneOf)
}

type Node = { readonly [keyword: string]: JsonValue }

/** Turns the DSL into raw schemas. What is malformed in both is left for the check of the subset. */
class Lowering {
  readonly issues: SchemaIssue[]
  hasOneOf = false

  constructor(issues: readonly SchemaIssue[]) {
    this.issues = [...issues]
  }

  /** @param isProperty - whether `required` may stand here; its property's object has read it already. */
  node(spec: JsonValue, path: Path, isProperty = false): JsonValue {
    if (!isJsonObject(spec) || path.length > 2 * MAX_DEPTH + 2) return spec
    const node = without(spec, 'required')
    if (!isProperty && spec['required'] !== undefined) this.#issue(path, 'belongs to a property: only there it says something', 'required')
    if (Array.isArray(node['oneOf'])) {
      this.hasOneOf = true
      return { ...node, oneOf: node['oneOf'].map((branch, index) => this.node(branch, [...path, 'oneOf', index])) }
    }
    switch (node['type']) {
      case 'json':
        return without(node, 'type')
      case 'array':
        return node['items'] === undefined ? node : { ...node, items: this.node(node['items'], [...path, 'items']) }
      case 'object':
        return this.#object(node, path)
      case undefined:
        if (node['oneOf'] === undefined) this.#issue(path, "needs type or oneOf: { type: 'json' } takes any value")
        return node
      default:
        return node
    }
  }

  properties(properties: Node, path: Path): Node {
    const required: string[] = []
    const lowered: { [name: string]: JsonValue } = {}
    for (const name of Object.keys(properties)) {
      const spec = properties[name] as JsonValue
      const at = [...path, name]
      if (this.#isRequired(spec, at)) required.push(name)
      setOwn(lowered, name, this.node(spec, at, true))
    }
    return required.length > 0 ? { type: 'object', properties: lowered, required } : { type: 'object', properties: lowered }
  }

  #object(node: Node, path: Path): JsonValue {
    if (node['additionalProperties'] === undefined) this.#issue(path, 'is an object that must say additionalProperties: true or false')
    if (node['properties'] === undefined) return { ...node, properties: {} }
    if (!isJsonObject(node['properties'])) return node
    return { ...this.properties(node['properties'], [...path, 'properties']), ...without(node, 'properties') }
  }

  #isRequired(spec: JsonValue, path: Path): boolean {
    if (!isJsonObject(spec) || spec['required'] === undefined) return false
    if (spec['required'] !== true) this.#issue(path, 'must be true, or be left out; each property says it for itself', 'required')
    return spec['required'] === true
  }

  #issue(path: Path, message: string, ...steps: Path): void {
    this.issues.push({ path: formatPath([...path, ...steps]), message })
  }
}

/** A node without one of its keywords; the same node when it has it not. */
function without(node: Node, keyword: string): Node {
  if (!Object.hasOwn(node, keyword)) return node
  const rest: { [name: string]: JsonValue } = {}
  for (const name of Object.keys(node)) if (name !== keyword) setOwn(rest, name, node[name] as JsonValue)
  return rest
}
