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
    Object.prototype.toString.call(prototype) === '[object Object]'
  )
}

/** What an object that is not plain is, in words: `a Date`, `an instance of Point`. Never throws. */
export function describeForeign(value: object): string {
  try {
    const name: unknown = (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } }).constructor?.name
    if (typeof name !== 'string' || name === '') return 'an instance of a class'
    return /^[AEIOU]/.test(name) ? `an ${name}` : `a ${name}`
  } catch {
    return 'an object that cannot be inspected' // a proxy that refuses even this is named as such
  }
}
