import { endOfString } from './json-string.ts'

const SUSPECT = /-0|[eE]|\d{16}/
const NUMBER = /-?\d[\d.eE+-]*/y

/** The first number literal of a valid JSON text that JSON.parse would change: an integer beyond exactness, an overflow, an underflow, or -0. */
export function lossyNumber(json: string): { readonly literal: string; readonly offset: number } | undefined {
  if (!SUSPECT.test(json)) return undefined
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '"') at = endOfString(json, at) - 1
    else {
      NUMBER.lastIndex = at
      const literal = NUMBER.exec(json)?.[0]
      if (literal === undefined) continue
      if (isLossy(literal)) return { literal: literal.length > 40 ? `${literal.slice(0, 40)}…` : literal, offset: at }
      at += literal.length - 1
    }
  }
  return undefined
}

function isLossy(literal: string): boolean {
  const value = Number(literal)
  if (!Number.isFinite(value)) return true
  if (value === 0) return literal.startsWith('-') || /[1-9]/.test(literal.split(/[eE]/)[0] as string)
  if (/[.eE]/.test(literal)) return false // a fraction is the nearest double by nature
  return !Number.isSafeInteger(value) && BigInt(literal) !== BigInt(value)
}

/** A position for people: `line 3, column 14`, both 1-based. */
export function textPosition(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1) as string).length + 1}`
}
