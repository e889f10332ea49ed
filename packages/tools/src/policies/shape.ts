import type { JsonValue } from '../contract/json.ts'
import { excerpt, isJsonObject } from '../json/text.ts'

const MAX_DEPTH = 4
const MAX_KEYS = 12
const MAX_CHARS = 1_000
const MAX_KEY_CHARS = 40

/** What a value looks like, in a line of at most 1,000 characters: types, keys, lengths. `{ rows: array of 3 { id: number } }`. */
export function shapeOf(value: JsonValue): string {
  return excerpt(shape(value, MAX_DEPTH), MAX_CHARS)
}

function shape(value: JsonValue, depth: number): string {
  if (typeof value === 'string') return `string of ${value.length}`
  if (value === null) return 'null'
  if (isJsonObject(value)) return objectShape(value, depth)
  if (!Array.isArray(value)) return typeof value
  const [first] = value
  return first === undefined || depth === 0 ? `array of ${value.length}` : `array of ${value.length}, the first: ${shape(first, depth - 1)}`
}

function objectShape(value: { readonly [key: string]: JsonValue }, depth: number): string {
  const keys = Object.keys(value)
  if (keys.length === 0) return '{}'
  if (depth === 0) return `object of ${keys.length}`
  const shown = keys.slice(0, MAX_KEYS).map((key) => `${excerpt(key, MAX_KEY_CHARS)}: ${shape(value[key] as JsonValue, depth - 1)}`)
  const more = keys.length > MAX_KEYS ? [`${keys.length - MAX_KEYS} more`] : []
  return `{ ${[...shown, ...more].join(', ')} }`
}
