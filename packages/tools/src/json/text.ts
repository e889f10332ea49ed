import type { JsonValue } from '../contract/json.ts'

/** The text with every lone surrogate replaced by U+FFFD; the same text when it is well-formed already. */
export function wellFormed(text: string): string {
  if (typeof text.isWellFormed === 'function') return text.isWellFormed() ? text : text.toWellFormed()
  let fixed = ''
  let kept = 0
  for (let at = 0; at < text.length; at++) {
    if (isPair(text, at)) at++
    else if (isSurrogate(text.charCodeAt(at))) {
      fixed += `${text.slice(kept, at)}\uFFFD`
      kept = at + 1
    }
  }
  return kept === 0 ? text : fixed + text.slice(kept)
}

/** At most `max` UTF-16 units of a text, ended by `…` where something was left out. Never cuts a surrogate pair. */
export function excerpt(text: string, max: number): string {
  if (text.length <= max) return text
  if (max < 1) return ''
  const end = max - 1
  return `${text.slice(0, isPair(text, end - 1) ? end - 1 : end)}…`
}

/** Whether a JSON value is an object, as opposed to an array or a scalar. */
export function isJsonObject(value: unknown): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a surrogate pair begins here. */
function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  const next = text.charCodeAt(at + 1)
  return unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}
