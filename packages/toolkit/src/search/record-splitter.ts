/** Takes the bytes of a record that is too long to hold, and makes a short one of them. */
export interface RecordShortener {
  push(bytes: Buffer): void
  end(): Buffer
}

interface SplitterOptions {
  /** The byte that ends a record. */
  readonly separator: number
  /** Records longer than this go through a shortener. */
  readonly maxBytes: number
  createShortener(): RecordShortener
  onRecord(record: Buffer, shortened: boolean): void
}

/** Splits a byte stream into records, holding at most `maxBytes` of one (and one chunk of the stream). */
export class RecordSplitter {
  readonly #options: SplitterOptions
  #pieces: Buffer[] = []
  #bytes = 0
  #shortener: RecordShortener | undefined

  constructor(options: SplitterOptions) {
    this.#options = options
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(this.#options.separator); end !== -1; end = chunk.indexOf(this.#options.separator, start)) {
      this.#take(chunk.subarray(start, end))
      this.#finish()
      start = end + 1
    }
    if (start < chunk.length) this.#take(chunk.subarray(start))
  }

  #take(piece: Buffer): void {
    if (this.#shortener !== undefined) {
      this.#shortener.push(piece)
      return
    }
    this.#pieces.push(piece)
    this.#bytes += piece.length
    if (this.#bytes <= this.#options.maxBytes) return
    this.#shortener = this.#options.createShortener()
    for (const held of this.#pieces) this.#shortener.push(held)
    this.#pieces = []
  }

  #finish(): void {
    const shortener = this.#shortener
    const record = shortener?.end() ?? (this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces))
    this.#pieces = []
    this.#bytes = 0
    this.#shortener = undefined
    this.#options.onRecord(record, shortener !== undefined)
  }
}
