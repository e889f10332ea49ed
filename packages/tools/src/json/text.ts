import type { JsonValue } from '../contract/json.ts'

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** The text with every lone surrogate replaced by U+FFFD; the same text when it is well-formed already. */
export function wellFormed(text: string): string {
  if (typeof text.isWellFormed === 'function') return text.isWellFormed() ? text : text.toWellFormed()
  return text.replace(LONE_SURROGATE, '\uFFFD')
}

/** At most `max` UTF-16 units of a text, ended by `…` where something was left out. Never cuts a surrogate pair. */
export function excerpt(text: string, max: number): string {
  if (text.length <= max) return text
  const end = max - 1
  const splitsPair = isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end))
  return `${text.slice(0, splitsPair ? end - 1 : end)}…`
}

/** Whether a JSON value is an object, as opposed to an array or a scalar. */
export function isJsonObject(value: unknown): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
