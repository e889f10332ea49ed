/**
 * Owns what has to be undone. Disposers are idempotent, run in reverse order when the lifetime ends, and are bound to
 * exactly what they undo.
 */
export class Lifetime {
  readonly #undo = new Set<() => void>()
  readonly #onError: (error: unknown) => void
  #ended = false

  /** @param onError - told about a disposer that threw; the others run all the same. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  get ended(): boolean {
    return this.#ended
  }

  /** @throws Error once the lifetime has ended: what is registered then would never be undone. */
  assertLive(what: string): void {
    if (this.#ended) throw new Error(`Cannot ${what}: the scope or plugin it would belong to has been disposed.`)
  }

  /** Own an undo. @returns a disposer that runs it now, once, instead of at the end. */
  own(undo: () => void): () => void {
    this.assertLive('register anything')
    const once = () => {
      if (this.#undo.delete(once)) undo()
    }
    this.#undo.add(once)
    return once
  }

  /** Undo everything, newest first. What a disposer registers while this runs is refused. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    for (const undo of [...this.#undo].reverse()) {
      try {
        undo()
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
