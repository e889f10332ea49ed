import { excerpt } from './text.ts'

const MAX_NAME = 60
const MAX_REASON = 200

/**
 * Whether an object is plain: of no class. Objects of another realm have another `Object.prototype`, recognised by what only
 * a realm's own root prototype looks like.
 */
export function isPlainObject(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || isForeignRoot(prototype)
}

/** Whether an array is a plain one, of this realm or another. */
export function isPlainArray(value: readonly unknown[]): boolean {
  const prototype: object | null = Object.getPrototypeOf(value)
  if (prototype === Array.prototype) return true
  if (prototype === null || !Array.isArray(prototype)) return false
  const above: object | null = Object.getPrototypeOf(prototype)
  return above !== null && isForeignRoot(above)
}

function isForeignRoot(prototype: object): boolean {
  return (
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'isPrototypeOf') &&
    Object.hasOwn(prototype, '__proto__') &&
    Object.hasOwn(prototype, 'hasOwnProperty')
  )
}

/** What a plain object has beside its entries, in words; undefined when it has nothing else. @param keys - its `Object.keys`. */
export function hiddenKeys(value: object, keys: readonly string[]): string | undefined {
  // asked this way, both answers come from what the engine keeps; Reflect.ownKeys is three times slower
  if (Object.getOwnPropertyNames(value).length === keys.length && Object.getOwnPropertySymbols(value).length === 0) return undefined
  const shown = new Set<string | symbol>(keys)
  const hidden = Reflect.ownKeys(value).find((key) => !shown.has(key))
  return typeof hidden === 'symbol' ? `has the symbol key ${nameOf(hidden)}` : `has the non-enumerable property ${nameOf(hidden)}`
}

/** What a plain array has beside enumerable items, in words; undefined when it has nothing else. Holes are not looked for. */
export function extraKeys(value: readonly unknown[]): string | undefined {
  // all this is much faster than Reflect.ownKeys where the array is long
  const names = Object.getOwnPropertyNames(value).length
  if (names > value.length + 1 || Object.getOwnPropertySymbols(value).length > 0) {
    const extra = Reflect.ownKeys(value).find((key) => typeof key === 'symbol' || (key !== 'length' && !isIndex(key, value.length)))
    return `is an array with the extra property ${nameOf(extra)}`
  }
  return Object.keys(value).length < names - 1 ? 'is an array with an item or a property that is not enumerable' : undefined
}

function isIndex(key: string, length: number): boolean {
  const index = Number(key)
  return Number.isInteger(index) && index >= 0 && index < length && String(index) === key
}

/** What an object that is not plain is, in words: `a Date`, `an Element`. Never throws. */
export function describeForeign(value: object): string {
  try {
    const name: unknown = (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } }).constructor?.name
    if (typeof name !== 'string' || name === '') return 'an instance of a class'
    return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${excerpt(name, MAX_NAME)}`
  } catch {
    return 'an object that cannot be inspected' // a proxy that refuses even this is named as such
  }
}

/** What a getter or a proxy threw, in words. Never throws, whatever it was. */
export function describeThrown(thrown: unknown): string {
  try {
    const text: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'message') : thrown
    return typeof text === 'string' && text !== '' ? excerpt(text, MAX_REASON) : 'its getter threw'
  } catch {
    return 'its getter threw' // what it threw cannot be read either
  }
}

function nameOf(key: string | symbol | undefined): string {
  return excerpt(String(key), MAX_NAME)
}
