/** Something that happens once. A promise is made only for those who come before it. */
export class Milestone {
  #reached = false
  #waiting: Promise<void> | undefined
  #release: (() => void) | undefined

  reach(): void {
    this.#reached = true
    this.#release?.()
  }

  /** Wait for it. @returns undefined when it has happened. */
  wait(): Promise<void> | undefined {
    if (this.#reached) return undefined
    this.#waiting ??= new Promise((resolve) => {
      this.#release = resolve
    })
    return this.#waiting
  }
}
