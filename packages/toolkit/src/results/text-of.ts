import type { JsonValue } from '@dsh/tools'

/** What is read of a value that came without a text: itself when it is one, else indented JSON. */
export function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
