import type { JsonValue } from '@dsh/tools'
import { sha256 } from '@dsh/tools/executor'

/** SHA-256 of a JSON value, in hexadecimal; equal values have equal hashes, in whatever order their properties stand. */
export function hashOf(value: JsonValue): Promise<string> {
  return sha256(canonical(value))
}

function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
