import type { JsonValue } from './json.ts'

/** Where an agent's events go: the writing half of its session log. */
export interface SessionSink {
  /**
   * The `idempotencyKey` of the call whose `tool/call` has this `seq`: the same each time, and no other call's anywhere. Calls logged
   * to a sink that gives none have no key.
   */
  keyOf?(seq: number): string
  /**
   * Append one event. Appends take effect in the order they are called in, also when they are not awaited.
   * @param event - its type and lossless-JSON data.
   * @param options - `durable` settles only once the event, and all before it, survive a crash. Without it the sequence number is all
   *   that is waited for.
   * @returns the dense sequence number the event got.
   */
  append(
    event: { readonly type: string; readonly data: JsonValue },
    options?: { readonly durable?: boolean },
  ): Promise<{ readonly seq: number }>
}
