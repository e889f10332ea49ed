import type { JsonValue } from '../contract/json.ts'

const MAX_PLAIN_CHARS = 200

/** The same for equal calls, whatever the order of their keys; short, whatever the arguments. Takes values of any depth. */
export function callDigest(tool: string, args: JsonValue): string {
  const hash = new Hash()
  let plain = ''
  let length = 0
  for (const token of tokens(args)) {
    hash.take(token)
    length += token.length
    if (plain.length <= MAX_PLAIN_CHARS) plain += token
  }
  return `${tool} ${plain.length <= MAX_PLAIN_CHARS ? plain : `${length} ${hash}`}`
}

/** The canonical JSON of a value in pieces: keys in order, no blanks. */
function* tokens(root: JsonValue): Generator<string> {
  const waiting: (string | { readonly value: JsonValue })[] = [{ value: root }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') yield next
    else if (typeof next.value !== 'object' || next.value === null) yield JSON.stringify(next.value)
    else for (const part of partsOf(next.value).reverse()) waiting.push(part)
  }
}

function partsOf(value: readonly JsonValue[] | { readonly [key: string]: JsonValue }): (string | { readonly value: JsonValue })[] {
  const parts: (string | { readonly value: JsonValue })[] = [Array.isArray(value) ? '[' : '{']
  if (Array.isArray(value)) {
    for (const item of value) parts.push(',', { value: item })
    parts.push(']')
    return parts
  }
  const record = value as { readonly [key: string]: JsonValue }
  for (const key of Object.keys(record).sort()) parts.push(',', JSON.stringify(key), ':', { value: record[key] as JsonValue })
  parts.push('}')
  return parts
}

/** 64 bits of FNV-1a in two lanes: enough to tell a hundred calls apart, and no secret depends on it. */
class Hash {
  #a = 0x811c9dc5
  #b = 0x9747b28c

  take(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      this.#a = Math.imul(this.#a ^ unit, 0x01000193)
      this.#b = Math.imul(this.#b ^ unit, 0x85ebca6b) + 0x7f4a7c15
    }
  }

  toString(): string {
    return `${(this.#a >>> 0).toString(16)}${(this.#b >>> 0).toString(16)}`
  }
}
