import type { JsonSchemaNode } from '../contract/json.ts'
import { excerpt } from '../json/text.ts'

const MAX_NAMES = 10
const MAX_NAME = 40
const MAX_EXPECTED = 240
const MAX_HINTED = 10_000
const BEGINS_JSON = /^\s*(?:[[{\d-]|true|false|null)/

/** What a required property is, when it is not there. */
export const MISSING: symbol = Symbol('missing')

/** Whether a value is of a type of the subset. `1.0` and `1e3` are integers. */
export function isOfType(value: unknown, type: NonNullable<JsonSchemaNode['type']>): boolean {
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

/** What a schema asks for, in words: `an integer`, `one of "a", "b"`. */
export function describeExpected(node: JsonSchemaNode): string {
  return excerpt(expected(node, 0), MAX_EXPECTED)
}

/** What came instead, in words: its type and a short excerpt. */
export function describeReceived(value: unknown): string {
  if (value === MISSING) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object') return `an object with ${list(Object.keys(value))}`
  const text = excerpt(typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : String(value), 60)
  return `the ${typeof value} ${text}`
}

/** A hint for the common slip, JSON sent as text: only where the text holds what was asked for. Long texts are not tried. */
export function hintFor(type: JsonSchemaNode['type'], value: unknown): string | undefined {
  if (typeof value !== 'string' || type === undefined || type === 'string' || value.length > MAX_HINTED) return undefined
  if (!BEGINS_JSON.test(value)) return undefined // parsing what is no JSON costs as much as a call
  try {
    if (!isOfType(JSON.parse(value), type)) return undefined
  } catch {
    return undefined // not JSON: nothing to hint at
  }
  return `the text holds one: send the ${type} itself, not its JSON in a string`
}

/** The first few of some names, each shortened, and how many there are beside them. */
export function list(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  const shown = names.slice(0, MAX_NAMES).map((name) => excerpt(name, MAX_NAME))
  return `${shown.join(', ')}${names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''}`
}

function expected(node: JsonSchemaNode, depth: number): string {
  if (Object.hasOwn(node, 'const')) return quote(node.const)
  if (node.enum) return node.enum.length === 1 ? quote(node.enum[0]) : `one of ${list(node.enum.map(quote))}`
  if (node.oneOf) {
    return depth > 2 ? 'one of several kinds' : [...new Set(node.oneOf.map((branch) => expected(branch, depth + 1)))].join(' or ')
  }
  if (node.type === undefined) return 'any value'
  if (node.type === 'object' && node.required?.length) return `an object with ${list(node.required)}`
  return node.type === 'null' ? 'null' : `${/^[aio]/.test(node.type) ? 'an' : 'a'} ${node.type}`
}

function quote(value: unknown): string {
  return excerpt(JSON.stringify(typeof value === 'string' ? value.slice(0, 100) : value), MAX_NAME)
}
