import type { JsonSchemaNode, ObjectJsonSchema } from '../contract/json.ts'
import { brand, isBranded } from '../json/brand.ts'
import { formatPath } from '../json/path.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { excerpt, isJsonObject } from '../json/text.ts'

/** One problem of a schema, and where. */
export interface SchemaIssue {
  readonly path: string
  readonly message: string
}

/** A schema is malformed, or goes beyond the subset that is enforced. */
export class JsonSchemaError extends TypeError {
  readonly issues: readonly SchemaIssue[]

  constructor(issues: readonly SchemaIssue[]) {
    super(`The schema cannot be used:\n${issues.map((issue) => `  - ${issue.path} ${issue.message}`).join('\n')}`)
    this.name = 'JsonSchemaError'
    this.issues = issues
  }
}
brand(JsonSchemaError, 'JsonSchemaError')

/** Schemas deeper than this are refused: what validates them is recursive in the schema's depth. */
const MAX_DEPTH = 512
const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
const KEYWORDS = new Map<string, ReadonlySet<string> | 'any'>([
  ['type', 'any'],
  ['description', 'any'],
  ['title', 'any'],
  ['default', 'any'],
  ['examples', 'any'],
  ['oneOf', new Set(['none'])],
  ['properties', new Set(['object'])],
  ['required', new Set(['object'])],
  ['additionalProperties', new Set(['object'])],
  ['items', new Set(['array'])],
  ['enum', new Set(['string', 'number', 'integer', 'boolean', 'null'])],
  ['const', new Set(['string', 'number', 'integer', 'boolean', 'null'])],
])

type Path = readonly (string | number)[]

/** Check any value as a schema of the enforced subset. @throws JsonSchemaError with every problem. */
export function assertSupportedJsonSchema(schema: unknown): asserts schema is JsonSchemaNode {
  const issues = schemaIssues(schema)
  if (issues.length > 0) throw new JsonSchemaError(issues)
}

/** Check any value as an object-rooted schema of the enforced subset. @throws JsonSchemaError with every problem. */
export function assertObjectJsonSchema(schema: unknown): asserts schema is ObjectJsonSchema {
  const issues = schemaIssues(schema)
  if (issues.length === 0 && (schema as JsonSchemaNode).type !== 'object')
    issues.push({ path: '$.type', message: "must be 'object' at the root" })
  if (issues.length > 0) throw new JsonSchemaError(issues)
}

/** Every problem of a schema; none when it is sound. */
export function schemaIssues(schema: unknown): SchemaIssue[] {
  try {
    snapshotJson(schema)
  } catch (error) {
    if (!isBranded(error, 'JsonValueError')) throw error
    const { path, message } = error as Error & { readonly path: string }
    return [{ path, message: message.slice(path.length + 1) }]
  }
  const check = new SubsetCheck()
  check.node(schema, [])
  return check.issues
}

class SubsetCheck {
  readonly issues: SchemaIssue[] = []

  node(node: unknown, path: Path): void {
    if (!isJsonObject(node)) return this.#issue(path, 'must be a schema object')
    if (path.length > 2 * MAX_DEPTH) return this.#issue(path, `is nested deeper than ${MAX_DEPTH} levels`)
    const kind = this.#kind(node, path)
    for (const keyword of Object.keys(node)) this.#keyword(keyword, kind, path)
    this.#annotations(node, path)
    if (kind === 'object') this.#object(node, path)
    if (kind === 'array' && 'items' in node) this.node(node['items'], [...path, 'items'])
    if (kind === 'none' && 'oneOf' in node) this.#oneOf(node['oneOf'], path)
    if (kind !== undefined && kind !== 'none') this.#scalars(node, kind, path)
  }

  /** The type of a node, `none` without one, undefined when it is malformed. */
  #kind(node: Record<string, unknown>, path: Path): string | undefined {
    if (!Object.hasOwn(node, 'type')) return 'none'
    const type = node['type']
    if (typeof type === 'string' && TYPES.has(type)) return type
    const what = Array.isArray(type) ? 'must be one type: use oneOf for several' : `must be one of ${[...TYPES].join(', ')}`
    this.#issue([...path, 'type'], what)
    return undefined
  }

  #keyword(keyword: string, kind: string | undefined, path: Path): void {
    const allowed = KEYWORDS.get(keyword)
    if (allowed === undefined) return this.#issue([...path, keyword], 'is a keyword that is not enforced here, so it cannot be used')
    if (allowed === 'any' || kind === undefined || allowed.has(kind)) return
    const only = [...allowed].join(', ')
    this.#issue([...path, keyword], keyword === 'oneOf' ? 'cannot stand beside type' : `needs type: ${only}`)
  }

  #annotations(node: Record<string, unknown>, path: Path): void {
    for (const keyword of ['title', 'description']) {
      if (Object.hasOwn(node, keyword) && typeof node[keyword] !== 'string') this.#issue([...path, keyword], 'must be a string')
    }
  }

  #object(node: Record<string, unknown>, path: Path): void {
    const properties = Object.hasOwn(node, 'properties') ? node['properties'] : {}
    if (!isJsonObject(properties)) this.#issue([...path, 'properties'], 'must be an object of schemas')
    else for (const name of Object.keys(properties)) this.node(own(properties, name), [...path, 'properties', name])
    if (Object.hasOwn(node, 'additionalProperties') && typeof node['additionalProperties'] !== 'boolean') {
      this.#issue([...path, 'additionalProperties'], 'must be true or false')
    }
    if (Object.hasOwn(node, 'required')) this.#required(node['required'], isJsonObject(properties) ? properties : {}, [...path, 'required'])
  }

  #required(required: unknown, properties: Record<string, unknown>, path: Path): void {
    if (!Array.isArray(required)) return this.#issue(path, 'must be an array of property names')
    for (const [index, name] of required.entries()) {
      if (typeof name !== 'string') this.#issue([...path, index], 'must be a property name')
      else if (!Object.hasOwn(properties, name)) this.#issue([...path, index], `names ${quote(name)}, which is not in properties`)
      else if (required.indexOf(name) !== index) this.#issue([...path, index], `repeats ${quote(name)}`)
    }
  }

  #oneOf(branches: unknown, path: Path): void {
    if (!Array.isArray(branches) || branches.length < 2) return this.#issue([...path, 'oneOf'], 'must have at least two branches')
    for (const [index, branch] of branches.entries()) this.node(branch, [...path, 'oneOf', index])
  }

  #scalars(node: Record<string, unknown>, kind: string, path: Path): void {
    if (Object.hasOwn(node, 'const') && !fits(node['const'], kind)) this.#issue([...path, 'const'], `must be of type ${kind}`)
    if (!Object.hasOwn(node, 'enum')) return
    const values = node['enum']
    if (!Array.isArray(values) || values.length === 0) return this.#issue([...path, 'enum'], 'must be a non-empty array')
    for (const [index, value] of values.entries()) {
      if (!fits(value, kind)) this.#issue([...path, 'enum', index], `must be of type ${kind}`)
      else if (values.indexOf(value) !== index) this.#issue([...path, 'enum', index], 'repeats an earlier value')
    }
  }

  #issue(path: Path, message: string): void {
    this.issues.push({ path: formatPath(path), message })
  }
}

/** An own property, whatever its name. */
function own(object: Record<string, unknown>, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value
}

function fits(value: unknown, kind: string): boolean {
  if (kind === 'null') return value === null
  if (kind === 'integer') return Number.isInteger(value)
  return typeof value === kind
}

function quote(name: string): string {
  return JSON.stringify(excerpt(name, 60))
}
