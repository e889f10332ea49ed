import type { JsonValue } from './json.ts'

/** Where an agent's events go: the writing half of its session log. */
export interface SessionSink {
  /**
   * Append one event.
   * @param event - its type and lossless-JSON data.
   * @param options - `durable` settles only once the event survives a crash.
   * @returns the dense sequence number the event got.
   */
  append(
    event: { readonly type: string; readonly data: JsonValue },
    options?: { readonly durable?: boolean },
  ): Promise<{ readonly seq: number }>
}
