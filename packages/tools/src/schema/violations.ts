import type { JsonSchemaNode } from '../contract/json.ts'
import { formatPath } from '../json/path.ts'
import { excerpt } from '../json/text.ts'

/** One thing that is wrong with a value. */
export interface Violation {
  readonly path: string
  readonly expected: string
  /** The type that came, with a short excerpt. */
  readonly received: string
  /** What to do, where it can be told. */
  readonly hint?: string
  /** All of it in one phrase, path first. */
  readonly message: string
}

type Path = readonly (string | number)[]
const MAX_VIOLATIONS = 20

/** Collect what is wrong with a value that did not pass: at most 20, in document order. @param root - what the path starts with. */
export function violationsOf(schema: JsonSchemaNode, value: unknown, root = '$'): Violation[] {
  const found = new Collector(root)
  found.node(schema, value, [])
  return found.violations
}

class Collector {
  readonly violations: Violation[] = []
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  node(node: JsonSchemaNode, value: unknown, path: Path): void {
    if (this.violations.length >= MAX_VIOLATIONS) return
    if (node.oneOf) return this.#oneOf(node.oneOf, value, path)
    if (node.type === undefined) return
    if (!isOfType(value, node.type)) return this.#add(path, describeExpected(node), value, hintFor(node.type, value))
    if (node.type === 'object') return this.#object(node, value as Record<string, unknown>, path)
    if (node.type === 'array') return this.#array(node, value as readonly unknown[], path)
    const wrongConst = Object.hasOwn(node, 'const') && value !== node.const
    if (wrongConst || (node.enum && !node.enum.includes(value as never))) this.#add(path, describeExpected(node), value)
  }

  #object(node: JsonSchemaNode, value: Record<string, unknown>, path: Path): void {
    const properties = node.properties ?? {}
    for (const name of node.required ?? []) {
      if (!Object.hasOwn(value, name)) this.#add([...path, name], 'a value, because it is required', MISSING)
    }
    for (const name of Object.keys(properties)) {
      if (Object.hasOwn(value, name)) this.node(own(properties, name) as JsonSchemaNode, value[name], [...path, name])
    }
    if (node.additionalProperties !== false) return
    const names = Object.keys(properties)
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(properties, key)) continue
      this.#add([...path, key], `no such property: the properties are ${list(names)}`, value[key])
    }
  }

  #array(node: JsonSchemaNode, value: readonly unknown[], path: Path): void {
    if (!node.items) return
    for (const [index, item] of value.entries()) {
      if (this.violations.length >= MAX_VIOLATIONS) return
      this.node(node.items, item, [...path, index])
    }
  }

  #oneOf(branches: readonly JsonSchemaNode[], value: unknown, path: Path): void {
    const verdicts = branches.map((branch) => violationsOf(branch, value, formatPath(path, this.#root)))
    const matching = verdicts.flatMap((violations, index) => (violations.length === 0 ? [index] : []))
    if (matching.length === 1) return
    if (matching.length > 1)
      return this.#add(path, `a value of exactly one kind, and it fits kinds ${matching.join(' and ')} of ${branches.length}`, value)
    const typed = branches.flatMap((branch, index) => (branch.type && isOfType(value, branch.type) ? [index] : []))
    const closest = typed.length === 1 ? verdicts[typed[0] as number] : undefined
    if (closest) this.violations.push(...closest)
    else
      this.#add(
        path,
        branches.map(describeExpected).join(' or '),
        value,
        branches.map((branch) => hintFor(branch.type, value)).find(Boolean),
      )
  }

  #add(path: Path, expected: string, value: unknown, hint?: string): void {
    if (this.violations.length >= MAX_VIOLATIONS) return
    const at = formatPath(path, this.#root)
    const received = describeReceived(value)
    const message = `${at}: expected ${expected}, received ${received}${hint ? ` (${hint})` : ''}`
    this.violations.push({ path: at, expected, received, message, ...(hint && { hint }) })
  }
}

const MISSING = Symbol('missing')

function own(object: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value
}

function isOfType(value: unknown, type: NonNullable<JsonSchemaNode['type']>): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'array':
      return Array.isArray(value)
    case 'null':
      return value === null
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    default:
      return typeof value === type
  }
}

function describeExpected(node: JsonSchemaNode): string {
  if (Object.hasOwn(node, 'const')) return JSON.stringify(node.const)
  if (node.enum) return `one of ${list(node.enum.map((value) => JSON.stringify(value)))}`
  if (node.oneOf) return node.oneOf.map(describeExpected).join(' or ')
  if (node.type === undefined) return 'any value'
  return node.type === 'null' ? 'null' : `${/^[aio]/.test(node.type) ? 'an' : 'a'} ${node.type}`
}

function describeReceived(value: unknown): string {
  if (value === MISSING) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object') return `an object with ${list(Object.keys(value).map((key) => excerpt(key, 40)))}`
  const text = excerpt(typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : String(value), 60)
  return `the ${typeof value} ${text}`
}

function list(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  return names.length > 10 ? `${names.slice(0, 10).join(', ')} and ${names.length - 10} more` : names.join(', ')
}

/** A hint for the common slip: JSON sent as text. Only short texts are tried. */
function hintFor(type: JsonSchemaNode['type'], value: unknown): string | undefined {
  if (typeof value !== 'string' || type === undefined || type === 'string' || value.length > 10_000) return undefined
  try {
    if (!isOfType(JSON.parse(value), type)) return undefined
  } catch {
    return undefined // not JSON: nothing to hint at
  }
  return `the text holds one: send the ${type} itself, not its JSON in a string`
}
