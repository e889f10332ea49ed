/** Those who hear what happens, in the order they came. One that throws is warned about and hurts nobody. */
export class Watchers<T> {
  readonly #all = new Set<(event: T) => void>()

  get size(): number {
    return this.#all.size
  }

  /** @returns what stops it. */
  add(listener: (event: T) => void): () => void {
    const own = (event: T) => listener(event) // the same function may watch twice
    this.#all.add(own)
    return () => this.#all.delete(own)
  }

  tell(event: T): void {
    for (const watcher of this.#all) {
      try {
        watcher(event)
      } catch (error) {
        process.emitWarning(error instanceof Error ? error : String(error))
      }
    }
  }
}
