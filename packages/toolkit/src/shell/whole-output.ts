import type { Clock, TextKeeper } from '@dsh/tools/ports'

type Stream = 'stdout' | 'stderr'

/** What became of the whole output. */
export interface WholeOutputEnd {
  /** Locator of it in the store of results. */
  readonly output?: string
  /** Why it is not kept. */
  readonly outputProblem?: string
}

/** How long a store may take for one piece, or for the end. A large text is on its way to a slow disk when it ends. */
const PATIENCE_MS = 30_000
/** Once the call is over, or cancelled. */
const HURRY_MS = 2_000
const LATE = 'the store did not take it in time'
/** What waits for the store, of a command that can be held up no longer. */
const MAX_WAITING_BYTES = 1_048_576

/**
 * Both streams of a command in order of arrival, on their way into the store of results from the first piece on that is not kept elsewhere.
 * Trouble with the store is said, and never ends the command; a store that hangs holds it up for a while only.
 */
export class WholeOutput {
  readonly #open: () => Promise<TextKeeper>
  readonly #clock: Clock
  readonly #decoders = { stdout: newDecoder(), stderr: newDecoder() }
  #waiting: string[] = []
  #waitingBytes = 0
  #isLong = false
  #keeper: TextKeeper | undefined
  #problem: string | undefined
  #work: Promise<void> = Promise.resolve()
  /** Each leaves the wait for the store. */
  readonly #waits = new Set<() => void>()

  /** @param open - begins to keep a text. */
  constructor(open: () => Promise<TextKeeper>, clock: Clock) {
    this.#open = open
    this.#clock = clock
  }

  /** Why it is not kept; undefined while it is. */
  get problem(): string | undefined {
    return this.#problem
  }

  /**
   * @param isLong - it will not be returned whole: keep it from its beginning on.
   * @returns when it can take more. Never rejects.
   */
  push(stream: Stream, chunk: Buffer, isLong: boolean): Promise<unknown> | undefined {
    if (this.#problem !== undefined) return undefined
    const text = this.#decoders[stream].decode(chunk, { stream: true })
    if (!isLong && !this.#isLong) {
      this.#waiting.push(text)
      return undefined
    }
    if (!this.#isLong) this.#begin()
    this.#waitingBytes += chunk.length
    const taken = this.#append(text).then(() => {
      this.#waitingBytes -= chunk.length
    })
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#problem ??= 'the command was ended before the store had taken it all'
    return this.#inTime(taken, PATIENCE_MS)
  }

  /**
   * All has come. Never rejects.
   * @param isHurried - the call is over but for this.
   * @param signal - ends the wait for the store.
   */
  async end(isHurried: boolean, signal?: AbortSignal): Promise<WholeOutputEnd> {
    this.#stopWaiting()
    if (!this.#isLong) return {}
    for (const decoder of Object.values(this.#decoders)) void this.#append(decoder.decode())
    let output: string | undefined
    const work = this.#then(async () => {
      output = await this.#keeper?.end()
    })
    const boundMs = isHurried || this.#problem !== undefined ? HURRY_MS : PATIENCE_MS
    const leave = () => this.#stopWaiting()
    signal?.addEventListener('abort', leave, { once: true })
    const isDone = await this.#inTime(work, boundMs)
    signal?.removeEventListener('abort', leave)
    if (isDone && this.#problem === undefined) return output === undefined ? {} : { output }
    const problem = this.#problem ?? 'the call was cancelled'
    if (isDone) await this.discard()
    else void this.#discard() // it has been waited for
    return { outputProblem: problem }
  }

  /** Forget it all, as soon as the store lets go. Settles then, or when that takes too long. Never rejects. */
  async discard(): Promise<void> {
    this.#stopWaiting()
    await this.#inTime(this.#discard(), HURRY_MS)
  }

  async #discard(): Promise<void> {
    this.#problem ??= 'nobody wants it'
    await this.#work
    try {
      await this.#keeper?.discard()
    } catch {
      // The store has failed before or fails now: nothing can be done about what is left in it, and the call has ended.
    }
  }

  /** Wait for the store, but not for ever: when it is late, nothing more is kept. @returns whether it is done. */
  #inTime(work: Promise<void>, boundMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isDone: boolean) => {
        disarm()
        this.#waits.delete(leave)
        resolve(isDone)
      }
      const leave = () => settle(false)
      const disarm = this.#clock.after(boundMs, () => {
        this.#problem ??= LATE
        leave()
      })
      this.#waits.add(leave)
      void work.then(() => settle(true))
    })
  }

  #stopWaiting(): void {
    for (const leave of this.#waits) leave()
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
