const BRAND: unique symbol = Symbol.for('dsh.error') as never

/**
 * Mark a class of errors with a name that every installed copy of the package recognises: `instanceof` knows only its own.
 */
export function brand(errorClass: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(errorClass.prototype, BRAND, { value: name })
}

/** Whether a thrown value is of the class that carries this brand. Never throws, whatever was thrown. */
export function isBranded(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  try {
    return (value as { readonly [BRAND]?: unknown })[BRAND] === name
  } catch {
    return false // a hostile proxy is none of our errors
  }
}
