/** A first-come-first-served gate that calls share or own. */
export interface Gate {
  /** Enter together with others that share. @returns what leaves, idempotent. */
  share(): Promise<() => void>
  /** Enter alone: after everyone before has left, and before anyone after may enter. @returns what leaves, idempotent. */
  own(): Promise<() => void>
}

/** Make a gate. Nobody overtakes: one who shares waits behind an owner who is waiting. */
export function createGate(): Gate {
  return new FifoGate()
}

class FifoGate implements Gate {
  readonly #waiting: { readonly alone: boolean; readonly admit: () => void }[] = []
  #inside = 0
  #owned = false

  share(): Promise<() => void> {
    return this.#enter(false)
  }

  own(): Promise<() => void> {
    return this.#enter(true)
  }

  #enter(alone: boolean): Promise<() => void> {
    return new Promise((resolve) => {
      this.#waiting.push({ alone, admit: () => resolve(this.#leaver()) })
      this.#admit()
    })
  }

  #admit(): void {
    let next = this.#waiting[0]
    while (next !== undefined && !this.#owned && !(next.alone && this.#inside > 0)) {
      this.#waiting.shift()
      this.#inside++
      this.#owned = next.alone
      next.admit()
      next = this.#waiting[0]
    }
  }

  #leaver(): () => void {
    let left = false
    return () => {
      if (left) return
      left = true
      this.#inside--
      this.#owned = false
      this.#admit()
    }
  }
}
