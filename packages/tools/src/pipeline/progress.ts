import type { ToolProgress } from '../contract/events.ts'
import type { JsonValue } from '../contract/json.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { wellFormed } from '../json/text.ts'

/**
 * Live reports of one body. While observers are busy with a report only the newest one waits; once closed, nothing is
 * delivered any more.
 */
export class ProgressChannel {
  readonly #deliver: (progress: ToolProgress) => Promise<void> | undefined
  #newest: ToolProgress | undefined
  #busy = false
  #closed = false

  constructor(deliver: (progress: ToolProgress) => Promise<void> | undefined) {
    this.#deliver = deliver
  }

  report(progress: JsonValue): void {
    if (this.#closed) return
    const report: ToolProgress = typeof progress === 'string' ? { text: wellFormed(progress) } : { value: snapshotJson(progress) }
    this.#newest = Object.freeze(report)
    if (!this.#busy) void this.#drain()
  }

  close(): void {
    this.#closed = true
    this.#newest = undefined
  }

  /** One report per microtask, so that a body that reports in a tight loop costs its observers one delivery. */
  async #drain(): Promise<void> {
    this.#busy = true
    await undefined
    while (this.#newest !== undefined && !this.#closed) {
      const report = this.#newest
      this.#newest = undefined
      await this.#deliver(report)
    }
    this.#busy = false
  }
}
