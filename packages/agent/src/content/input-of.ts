import type { JsonValue } from '@dsh/tools'

/** The text of arguments for a format that wants an object. What is none was refused by the runtime, and its result says so. */
export function inputOf(text: string): { readonly [name: string]: JsonValue } {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as { readonly [name: string]: JsonValue }) : {}
  } catch {
    return {} // no JSON: see above
  }
}
