import type { Clock } from '@dsh/tools/ports'
import type { SessionEvent } from './event.ts'

/** How long an event that nobody waits for may stay in memory. */
const LAZY_MS = 100

/** Writes events in groups: what becomes ready in the same turn of the event loop, or while a group is being written, shares one write. */
export class GroupCommit {
  readonly #write: (events: readonly SessionEvent[]) => Promise<void>
  readonly #clock: Clock
  #pending: SessionEvent[] = []
  #writing: Promise<void> | undefined
  #next: Promise<void> | undefined
  #cancelLazy: (() => void) | undefined

  /** @param write - writes all or nothing, durably. After a failure nothing more is handed to it. */
  constructor(write: (events: readonly SessionEvent[]) => Promise<void>, clock: Clock) {
    this.#write = write
    this.#clock = clock
  }

  /** Take an event, to be written with the next group, or soon. */
  add(event: SessionEvent): void {
    this.#pending.push(event)
    this.#cancelLazy ??= this.#clock.after(LAZY_MS, () => {
      this.flush().catch(() => undefined) // whoever appends next is told
    })
  }

  /** Settles when everything taken so far has been written. @throws what a write failed with. */
  flush(): Promise<void> {
    if (this.#pending.length === 0) return this.#next ?? this.#writing ?? Promise.resolve()
    this.#next ??= this.#commit(this.#writing)
    return this.#next
  }

  async #commit(before: Promise<void> | undefined): Promise<void> {
    await before
    await new Promise<void>((resolve) => setImmediate(resolve)) // the rest of this turn joins
    this.#cancelLazy?.()
    this.#cancelLazy = undefined
    const events = this.#pending
    this.#pending = []
    this.#writing = this.#next
    this.#next = undefined
    await this.#write(events)
  }
}
