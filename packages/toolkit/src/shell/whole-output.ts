import type { TextKeeper } from '@dsh/tools/ports'

type Stream = 'stdout' | 'stderr'

/** What became of the whole output. */
export interface WholeOutputEnd {
  /** Locator of it in the store of results. */
  readonly output?: string
  /** Why it is not kept. */
  readonly outputProblem?: string
}

/**
 * Both streams of a command in order of arrival, on their way into the store of results once they are too long to be returned whole.
 * Trouble with the store is said, and never ends the command.
 */
export class WholeOutput {
  readonly #open: () => Promise<TextKeeper>
  readonly #decoders = { stdout: newDecoder(), stderr: newDecoder() }
  #waiting: string[] = []
  #isLong = false
  #keeper: TextKeeper | undefined
  #problem: string | undefined
  #work: Promise<void> = Promise.resolve()

  /** @param open - begins to keep a text. */
  constructor(open: () => Promise<TextKeeper>) {
    this.#open = open
  }

  /**
   * @param isLong - it will not be returned whole.
   * @returns when it can take more. Never rejects.
   */
  push(stream: Stream, chunk: Buffer, isLong: boolean): Promise<void> | undefined {
    if (this.#problem !== undefined) return undefined
    const text = this.#decoders[stream].decode(chunk, { stream: true })
    if (!isLong && !this.#isLong) {
      this.#waiting.push(text)
      return undefined
    }
    if (!this.#isLong) this.#begin()
    return this.#append(text)
  }

  /** All has come. Never rejects. */
  async end(): Promise<WholeOutputEnd> {
    if (!this.#isLong) return {}
    for (const decoder of Object.values(this.#decoders)) void this.#append(decoder.decode())
    let output: string | undefined
    await this.#then(async () => {
      output = await this.#keeper?.end()
    })
    if (this.#problem === undefined) return output === undefined ? {} : { output }
    const problem = this.#problem
    await this.discard()
    return { outputProblem: problem }
  }

  /** Forget it all. Never rejects. */
  async discard(): Promise<void> {
    await this.#work
    this.#problem ??= 'nobody wants it'
    try {
      await this.#keeper?.discard()
    } catch {
      // The store has failed before or fails now: nothing can be done about what is left in it, and the call has ended.
    }
  }

  #begin(): void {
    this.#isLong = true
    void this.#then(async () => {
      this.#keeper = await this.#open()
    })
    void this.#append(this.#waiting.join(''))
    this.#waiting = []
  }

  #append(text: string): Promise<void> {
    return this.#then(async () => {
      if (text !== '') await this.#keeper?.append(Buffer.from(text))
    })
  }

  #then(step: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(async () => {
      if (this.#problem !== undefined) return
      try {
        await step()
      } catch (error) {
        this.#problem = error instanceof Error ? error.message : String(error)
      }
    })
    return this.#work
  }
}

function newDecoder() {
  return new TextDecoder('utf-8', { ignoreBOM: true })
}
