/**
 * Keeps the smallest items of a stream in bounded memory. Whatever order they come in, the result is the same: parallel
 * searches stay deterministic.
 */
export class KeepSmallest<T> {
  readonly #limit: number
  readonly #compare: (a: T, b: T) => number
  #items: T[] = []
  #full = false

  /** @param limit - how many to keep, at least 1. */
  constructor(limit: number, compare: (a: T, b: T) => number) {
    this.#limit = limit
    this.#compare = compare
  }

  /** Whether an item could still be kept: once enough are smaller, it could not. */
  wants(item: T): boolean {
    return !this.#full || this.#compare(item, this.#items[this.#limit - 1] as T) < 0
  }

  add(item: T): void {
    if (!this.wants(item)) return
    this.#items.push(item)
    if (this.#items.length >= 2 * this.#limit) this.#settle()
  }

  /** The smallest, in order. */
  sorted(): readonly T[] {
    this.#settle()
    return this.#items
  }

  #settle(): void {
    this.#items.sort(this.#compare)
    if (this.#items.length < this.#limit) return
    this.#items.length = this.#limit
    this.#full = true
  }
}

/** By UTF-16 code unit: the same everywhere, whatever the locale. */
export function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
