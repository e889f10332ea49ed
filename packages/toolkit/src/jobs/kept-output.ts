import type { TextKeeper } from '@dsh/tools/ports'

/** What waits for the store before the command has to wait, too. */
const MAX_WAITING_BYTES = 1_048_576

/** The whole output of a job on its way into the store of results. Trouble with the store is said, and never ends the job. */
export class KeptOutput {
  #keeper: TextKeeper | undefined
  #work: Promise<void> = Promise.resolve()
  #waitingBytes = 0
  #problem: string | undefined

  /** @param open - begins to keep a text; what comes meanwhile waits. */
  constructor(open: () => Promise<TextKeeper>) {
    this.#then(async () => {
      this.#keeper = await open()
    })
  }

  /** Why it is not kept. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Keep bytes. @returns what to wait for before more is given, when the store is behind; it never rejects. */
  append(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#problem !== undefined || bytes.length === 0) return undefined
    this.#waitingBytes += bytes.length
    this.#then(async () => {
      await this.#keeper?.append(bytes)
      this.#waitingBytes -= bytes.length
    })
    return this.#waitingBytes > MAX_WAITING_BYTES ? this.#work : undefined
  }

  /** All has come. @returns the locator; undefined when there is none, and `problem` says why. */
  async end(): Promise<string | undefined> {
    let locator: string | undefined
    this.#then(async () => {
      locator = await this.#keeper?.end()
    })
    await this.#work
    if (this.#problem !== undefined) await this.discard()
    return locator
  }

  /** Forget it all. */
  async discard(): Promise<undefined> {
    await this.#work
    this.#problem ??= 'there was nothing to keep'
    try {
      await this.#keeper?.discard()
    } catch (error) {
      this.#problem = `${this.#problem}, and the store failed: ${messageOf(error)}`
    }
  }

  #then(step: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#problem !== undefined) return
      try {
        await step()
      } catch (error) {
        this.#problem = `the store failed: ${messageOf(error)}`
      }
    })
  }
}

/** What a store threw, in words. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
