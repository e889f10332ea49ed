const SUSPECT = /-0|[eE]|\d{16}/
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gs

/** The first number literal of a valid JSON text that JSON.parse would change: an integer beyond exactness, an overflow, an underflow, or -0. */
export function lossyNumber(json: string): { readonly literal: string; readonly offset: number } | undefined {
  if (!SUSPECT.test(json)) return undefined
  for (const { 0: literal, index: offset } of json.matchAll(TOKEN)) {
    if (!literal.startsWith('"') && isLossy(literal)) return { literal: literal.length > 40 ? `${literal.slice(0, 40)}…` : literal, offset }
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
