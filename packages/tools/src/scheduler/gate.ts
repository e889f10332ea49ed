/** A first-come-first-served gate that calls share or own. What entering gives, at once or when it is their turn, leaves again; it is idempotent. */
export interface Gate {
  /** Enter together with others that share. */
  share(): (() => void) | Promise<() => void>
  /** Enter alone: after everyone before has left, and before anyone after may enter. */
  own(): (() => void) | Promise<() => void>
}

/** Make a gate. Nobody overtakes: one who shares waits behind an owner who is waiting. */
export function createGate(): Gate {
  return new FifoGate()
}

class FifoGate implements Gate {
  readonly #waiting: { readonly alone: boolean; readonly admit: () => void }[] = []
  #inside = 0
  #owned = false

  share(): (() => void) | Promise<() => void> {
    return this.#enter(false)
  }

  own(): (() => void) | Promise<() => void> {
    return this.#enter(true)
  }

  #enter(alone: boolean): (() => void) | Promise<() => void> {
    if (this.#waiting.length === 0 && this.#isOpen(alone)) return this.#admit(alone)
    return new Promise((resolve) => {
      this.#waiting.push({ alone, admit: () => resolve(this.#admit(alone)) })
    })
  }

  #isOpen(alone: boolean): boolean {
    return !this.#owned && !(alone && this.#inside > 0)
  }

  #admit(alone: boolean): () => void {
    this.#inside++
    this.#owned = alone
    let left = false
    return () => {
      if (left) return
      left = true
      this.#inside--
      this.#owned = false
      this.#admitNext()
    }
  }

  #admitNext(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#isOpen(next.alone); next = this.#waiting[0]) {
      this.#waiting.shift()
      next.admit()
    }
  }
}
