import type { JsonSchemaNode, JsonValue, ObjectJsonSchema } from '../contract/json.ts'
import { brand } from '../json/brand.ts'
import { isAcceptedBy, markAccepted } from '../json/mark.ts'
import { formatPath, type Path } from '../json/path.ts'
import { inspectJson } from '../json/snapshot.ts'
import { excerpt, isJsonObject } from '../json/text.ts'

/** One problem of a schema, and where. */
export interface SchemaIssue {
  readonly path: string
  readonly message: string
}

const SHOWN = 20

/** A schema is malformed, or goes beyond the subset that is enforced. `issues` has every problem, the message the first few. */
export class JsonSchemaError extends TypeError {
  readonly issues: readonly SchemaIssue[]

  /** @param subject - whose schema it is, for the message. */
  constructor(issues: readonly SchemaIssue[], subject = 'The schema') {
    const lines = issues.slice(0, SHOWN).map((issue) => `  - ${issue.path} ${issue.message}`)
    if (issues.length > SHOWN) lines.push(`  - and ${issues.length - SHOWN} more`)
    super(`${subject} cannot be used:\n${lines.join('\n')}`)
    this.name = 'JsonSchemaError'
    this.issues = issues
  }
}
brand(JsonSchemaError, 'JsonSchemaError')

/** Schemas deeper than this are refused: what validates them is recursive in the schema's depth. */
export const MAX_DEPTH = 512
/** Schemas longer than this are refused: they cannot be meant, and shared parts could multiply without end. */
const MAX_BYTES = 4_000_000
const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
const SCALARS = ['string', 'number', 'integer', 'boolean', 'null']
/** The types each keyword of the subset belongs to. */
const KEYWORDS = new Map<string, readonly string[] | 'any'>([
  ['type', 'any'],
  ['description', 'any'],
  ['title', 'any'],
  ['default', 'any'],
  ['examples', 'any'],
  ['oneOf', []],
  ['properties', ['object']],
  ['required', ['object']],
  ['additionalProperties', ['object']],
  ['items', ['array']],
  ['enum', SCALARS],
  ['const', SCALARS],
])

/** Check any value as a schema of the enforced subset. @throws JsonSchemaError with every problem. */
export function assertSupportedJsonSchema(schema: unknown): asserts schema is JsonSchemaNode {
  readSchema(schema)
}

/** Check any value as an object-rooted schema of the enforced subset. @throws JsonSchemaError with every problem. */
export function assertObjectJsonSchema(schema: unknown): asserts schema is ObjectJsonSchema {
  const { value, issues } = inspectSchema(schema)
  const all = [...issues, ...rootIssues(value)]
  if (all.length > 0) throw new JsonSchemaError(all)
}

/** The frozen copy of a schema of the subset; a frozen one itself. What is checked is what is given. @throws JsonSchemaError */
export function readSchema(source: unknown): JsonSchemaNode {
  if (isJsonObject(source) && isAccepted(source)) return source as JsonSchemaNode
  const { value, issues } = inspectSchema(source)
  if (issues.length > 0) throw new JsonSchemaError(issues)
  return acceptSchema(value)
}

/** Remember that a snapshot is a schema of the subset, as {@link schemaIssues} found. @param hasOneOf - whether it may have one anywhere. */
export function acceptSchema(snapshot: JsonValue, hasOneOf = true): JsonSchemaNode {
  markAccepted(snapshot as object, hasOneOf ? SUBSET : WITHOUT_ONE_OF)
  return snapshot as JsonSchemaNode
}

/** Whether a schema is known to have no oneOf anywhere, so that nothing has to be searched for in it. */
export function isWithoutOneOf(schema: JsonSchemaNode): boolean {
  return isAcceptedBy(schema, WITHOUT_ONE_OF)
}

function isAccepted(source: object): boolean {
  return isAcceptedBy(source, SUBSET) || isAcceptedBy(source, WITHOUT_ONE_OF)
}

const NONE: readonly SchemaIssue[] = []

/** What schemas that passed are marked with. */
const SUBSET = Object.freeze({})
const WITHOUT_ONE_OF = Object.freeze({})

/** A frozen copy of what may be a schema, with every problem it has. */
export function inspectSchema(source: unknown): { readonly value: JsonValue; readonly issues: readonly SchemaIssue[] } {
  if (isJsonObject(source) && isAccepted(source)) return { value: source, issues: NONE }
  const { value, issues } = inspectLossless(source)
  return { value, issues: schemaIssues(value, issues) }
}

/** Why a schema cannot be the root of what must be an object. */
export function rootIssues(schema: JsonValue): readonly SchemaIssue[] {
  if (!isJsonObject(schema)) return [] // said already
  return ownType(schema) === 'object' ? [] : [{ path: '$.type', message: "must be 'object' at the root" }]
}

/** A frozen copy, with everything in it that is not lossless JSON. */
export function inspectLossless(source: unknown): { readonly value: JsonValue; readonly issues: readonly SchemaIssue[] } {
  const { value, problems } = inspectJson(source, { maxBytes: MAX_BYTES })
  return {
    value,
    issues: problems.length === 0 ? NONE : problems.map(({ path, problem }) => ({ path: formatPath(path), message: problem })),
  }
}

/** Every problem of what may be a schema, after those that are known: of one place, the first is enough. */
export function schemaIssues(schema: JsonValue, known: readonly SchemaIssue[] = [], path: Path = []): readonly SchemaIssue[] {
  const check = new SubsetCheck(path)
  check.node(schema, path.length) // a property is a level below the root of its object
  if (check.issues.length === 0) return known
  const paths = new Set(known.map((issue) => issue.path))
  return [...known, ...check.issues.filter((issue) => !paths.has(issue.path))]
}

type Node = { readonly [keyword: string]: JsonValue }

class SubsetCheck {
  readonly issues: SchemaIssue[] = []
  /** Where the check is. */
  readonly #path: (string | number)[]

  constructor(path: Path) {
    this.#path = [...path]
  }

  node(node: JsonValue | undefined, depth: number): void {
    if (!isJsonObject(node)) return this.#issue('must be a schema object')
    if (depth > MAX_DEPTH) return this.#issue(`is nested deeper than ${MAX_DEPTH} levels`)
    const kind = this.#kind(node)
    for (const keyword of Object.keys(node)) this.#keyword(keyword, node, kind)
    if (kind === 'object') this.#object(node, depth)
    if (kind === 'array' && Object.hasOwn(node, 'items')) this.#child(node['items'], depth, 'items')
    if (kind === 'none' && Object.hasOwn(node, 'oneOf')) this.#oneOf(node['oneOf'], depth)
    if (kind !== undefined && SCALARS.includes(kind)) this.#scalars(node, kind)
  }

  #child(node: JsonValue | undefined, depth: number, keyword: string, step?: string | number): void {
    this.#path.push(keyword)
    if (step !== undefined) this.#path.push(step)
    this.node(node, depth + 1)
    if (step !== undefined) this.#path.pop()
    this.#path.pop()
  }

  /** The type of a node, `none` without one, undefined when it is malformed. */
  #kind(node: Node): string | undefined {
    if (!Object.hasOwn(node, 'type')) return 'none'
    const type = node['type']
    if (typeof type === 'string' && TYPES.has(type)) return type
    this.#issue(Array.isArray(type) ? 'must be one type: use oneOf for several' : `must be one of ${[...TYPES].join(', ')}`, 'type')
    return undefined
  }

  #keyword(keyword: string, node: Node, kind: string | undefined): void {
    const allowed = KEYWORDS.get(keyword)
    if (allowed === undefined) return this.#issue(`is a keyword that is not enforced here, so it cannot be used${usable(kind)}`, keyword)
    if (allowed !== 'any') {
      const fits = kind === undefined || (keyword === 'oneOf' ? kind === 'none' : allowed.includes(kind))
      if (!fits) this.#issue(keyword === 'oneOf' ? 'cannot stand beside type' : `needs type: ${allowed.join(', ')}`, keyword)
    } else if ((keyword === 'title' || keyword === 'description') && typeof node[keyword] !== 'string') {
      this.#issue('must be a string', keyword)
    }
  }

  #object(node: Node, depth: number): void {
    const properties = Object.hasOwn(node, 'properties') ? node['properties'] : {}
    if (!isJsonObject(properties)) this.#issue('must be an object of schemas', 'properties')
    else for (const name of Object.keys(properties)) this.#child(properties[name], depth, 'properties', name)
    if (Object.hasOwn(node, 'additionalProperties') && typeof node['additionalProperties'] !== 'boolean') {
      this.#issue('must be true or false', 'additionalProperties')
    }
    if (Object.hasOwn(node, 'required')) this.#required(node['required'], isJsonObject(properties) ? properties : {})
  }

  #required(required: JsonValue | undefined, properties: Node): void {
    if (!Array.isArray(required)) return this.#issue('must be an array of property names', 'required')
    const seen = new Set<string>()
    for (const [index, name] of required.entries()) {
      if (typeof name !== 'string') this.#issue('must be a property name', 'required', index)
      else if (!Object.hasOwn(properties, name)) this.#issue(`names ${quote(name)}, which is not in properties`, 'required', index)
      else if (seen.has(name)) this.#issue(`repeats ${quote(name)}`, 'required', index)
      seen.add(name)
    }
  }

  #oneOf(branches: JsonValue | undefined, depth: number): void {
    if (!Array.isArray(branches)) return this.#issue('must be an array of schemas', 'oneOf')
    if (branches.length < 2) this.#issue('must have at least two branches', 'oneOf')
    for (const [index, branch] of branches.entries()) this.#child(branch, depth, 'oneOf', index)
  }

  #scalars(node: Node, kind: string): void {
    if (Object.hasOwn(node, 'const') && !fits(node['const'], kind)) this.#issue(`must be of type ${kind}`, 'const')
    if (!Object.hasOwn(node, 'enum')) return
    const values = node['enum']
    if (!Array.isArray(values) || values.length === 0) return this.#issue('must be a non-empty array', 'enum')
    const seen = new Set<unknown>()
    for (const [index, value] of values.entries()) {
      if (!fits(value, kind)) this.#issue(`must be of type ${kind}`, 'enum', index)
      else if (seen.has(value)) this.#issue('repeats an earlier value', 'enum', index)
      seen.add(value)
    }
  }

  #issue(message: string, ...steps: Path): void {
    this.issues.push({ path: formatPath([...this.#path, ...steps]), message })
  }
}

/** What may stand beside a type, for those who tried something else. */
function usable(kind: string | undefined): string {
  if (kind === undefined || kind === 'none') return ''
  const keywords = [...KEYWORDS].flatMap(([keyword, types]) => (types === 'any' || types.includes(kind) ? [keyword] : []))
  return `; with type ${kind} there are ${keywords.filter((keyword) => keyword !== 'type').join(', ')}`
}

function ownType(schema: Node): unknown {
  return Object.hasOwn(schema, 'type') ? schema['type'] : undefined
}

function fits(value: JsonValue | undefined, kind: string): boolean {
  if (kind === 'null') return value === null
  if (kind === 'integer') return Number.isInteger(value)
  return typeof value === kind
}

function quote(name: string): string {
  return JSON.stringify(excerpt(name, 60))
}
