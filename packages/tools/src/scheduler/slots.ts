/** A bounded number of places, given first come, first served. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []
  #next = 0

  constructor(places: number) {
    this.#free = places
  }

  /** Take a place. @returns undefined when one was free, else a promise for one. */
  take(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Give a place back: to whoever has waited longest. */
  give(): void {
    const next = this.#waiting[this.#next]
    if (next === undefined) {
      this.#free++
      return
    }
    this.#next++
    if (this.#next > 1_000) {
      this.#waiting.splice(0, this.#next) // forget those who have been served, now and then: shifting each would be quadratic
      this.#next = 0
    }
    next()
  }
}
