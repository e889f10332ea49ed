import { StringDecoder } from 'node:string_decoder'

/** Which of a command's two streams a piece came from. */
export type OutputStream = 'stdout' | 'stderr'

/** A piece of the output, as somebody read it. All numbers are bytes of UTF-8. */
export interface OutputPage {
  readonly text: string
  /** Where the text begins. */
  readonly cursor: number
  /** Where the next page begins. */
  readonly nextCursor: number
  /** Between what was asked for and `cursor`: it came too long ago and is not kept here any more. */
  readonly skippedBytes: number
}

/**
 * The output of a command in the order of its arrival, both streams in one text. Keeps its newest `windowBytes` and takes up to
 * twice as much memory. Reading changes nothing, so that any number of readers have cursors of their own.
 */
export class OutputLog {
  readonly #windowBytes: number
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  #kept = Buffer.alloc(0)
  #size = 0
  /** Where in the whole output `#kept` begins. */
  #from = 0

  constructor(windowBytes: number) {
    this.#windowBytes = windowBytes
  }

  /** Bytes of the whole output, also of what is not kept. */
  get bytes(): number {
    return this.#from + this.#size
  }

  /** Take a chunk, cut anywhere. What becomes whole characters can be read; bytes that are no UTF-8 are replaced. */
  push(stream: OutputStream, chunk: Buffer): void {
    this.#append(Buffer.from(this.#decoders[stream].write(chunk)))
  }

  /** Both streams have ended: what is left of characters that never became whole can be read, replaced. */
  end(): void {
    this.#append(Buffer.from(this.#decoders.stdout.end() + this.#decoders.stderr.end()))
  }

  /**
   * Read from a cursor on. A cursor within a character means its beginning, one below 0 counts from the end, and one beyond the end means it.
   * @param maxBytes - the page is never longer, but that it has at least one character where there is one.
   */
  read(cursor: number, maxBytes: number): OutputPage {
    const asked = Math.min(cursor < 0 ? Math.max(0, this.bytes + cursor) : cursor, this.bytes)
    const start = this.#characterAt(Math.max(0, asked - this.#from))
    const whole = this.#characterAt(Math.min(start + maxBytes, this.#size))
    const end = whole > start ? whole : this.#afterCharacter(start)
    return {
      text: this.#kept.toString('utf8', start, end),
      cursor: this.#from + start,
      nextCursor: this.#from + end,
      skippedBytes: Math.max(0, this.#from - asked),
    }
  }

  #append(bytes: Buffer): void {
    const room = this.#windowBytes * 2
    if (this.#size + bytes.length > room) this.#forget(this.#size + bytes.length - this.#windowBytes)
    const tail = bytes.subarray(Math.max(0, bytes.length - room))
    this.#from += bytes.length - tail.length
    if (this.#size + tail.length > this.#kept.length) this.#grow(this.#size + tail.length)
    tail.copy(this.#kept, this.#size)
    this.#size += tail.length
    this.#dropBrokenStart()
  }

  /** Drop the oldest bytes, at least this many of those there are. */
  #forget(atLeast: number): void {
    const dropped = Math.min(atLeast, this.#size)
    this.#kept.copyWithin(0, dropped, this.#size)
    this.#size -= dropped
    this.#from += dropped
  }

  #grow(needed: number): void {
    const grown = Buffer.alloc(Math.min(Math.max(needed, this.#kept.length * 2, 4_096), this.#windowBytes * 2))
    this.#kept.copy(grown, 0, 0, this.#size)
    this.#kept = grown
  }

  /** What was dropped may have ended within a character: what is left of that goes, too. */
  #dropBrokenStart(): void {
    let broken = 0
    while (broken < this.#size && isContinuation(this.#kept[broken])) broken++
    if (broken > 0) this.#forget(broken)
  }

  /** Index of the character that holds the byte at `index`. */
  #characterAt(index: number): number {
    let at = index
    while (at > 0 && at < this.#size && isContinuation(this.#kept[at])) at--
    return at
  }

  #afterCharacter(start: number): number {
    let at = Math.min(start + 1, this.#size)
    while (at < this.#size && isContinuation(this.#kept[at])) at++
    return at
  }
}

/** Whether a byte of UTF-8 continues a character that began before it. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
