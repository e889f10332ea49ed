import type { JsonValue } from '../contract/json.ts'
import { snapshotJson } from '../json/snapshot.ts'

/** A card over this many bytes of JSON stays out of the log. */
const MAX_CARD_BYTES = 64 * 1024

/** A card as it is logged: JSON of its own. Undefined when there is none, it is too large, or whoever makes it breaks: it costs itself. */
export function cardOf(present: () => unknown): JsonValue | undefined {
  try {
    const view = present()
    if (view === undefined || view === null) return undefined
    const card = snapshotJson(view, { omitUndefined: true })
    return byteLength(JSON.stringify(card)) > MAX_CARD_BYTES ? undefined : card
  } catch {
    return undefined // a presenter that throws, or what is no JSON
  }
}

function byteLength(text: string): number {
  return text.length > MAX_CARD_BYTES ? text.length : new TextEncoder().encode(text).length
}
