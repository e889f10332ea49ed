import type { JsonValue } from '@dsh/tools'

/** SHA-256 of a JSON value, in hexadecimal; equal values have equal hashes, in whatever order their properties stand. */
export async function hashOf(value: JsonValue): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(value)))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
