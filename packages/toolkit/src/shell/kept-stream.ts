/** What is kept of a stream, as text. */
export interface KeptText {
  readonly text: string
  /** Where in the text, in UTF-16 units, something is left out, and how many bytes. */
  readonly omitted?: { readonly at: number; readonly bytes: number }
}

/** The head and the tail of a stream, in bounded memory. */
export class KeptStream {
  readonly #head: Buffer
  readonly #tailBytes: number
  #tail: Buffer | undefined
  #bytes = 0

  /** @param maxBytes - what it keeps. */
  constructor(maxBytes: number) {
    this.#head = Buffer.alloc(Math.ceil(maxBytes / 2))
    this.#tailBytes = maxBytes - this.#head.length
  }

  /** All that has come. */
  get bytes(): number {
    return this.#bytes
  }

  get isCut(): boolean {
    return this.#bytes > this.#head.length + this.#tailBytes
  }

  push(chunk: Buffer): void {
    const toHead = this.#bytes < this.#head.length ? chunk.copy(this.#head, this.#bytes) : 0
    this.#bytes += toHead
    this.#pushTail(chunk.subarray(toHead))
  }

  /** Decoded; bytes that are no UTF-8 are replaced. Never holds a part of a character. */
  toText(): KeptText {
    const head = this.#head.subarray(0, this.#bytes)
    const tail = this.#orderedTail()
    if (!this.isCut) return { text: Buffer.concat([head, tail]).toString() }
    const start = head.subarray(0, wholeEnd(head))
    const end = tail.subarray(wholeStart(tail))
    const text = start.toString()
    return { text: text + end.toString(), omitted: { at: text.length, bytes: this.#bytes - start.length - end.length } }
  }

  /** A ring: the byte number `n` behind the head stands at `n % size`. */
  #pushTail(chunk: Buffer): void {
    const last = chunk.subarray(Math.max(0, chunk.length - this.#tailBytes))
    const from = this.#bytes + chunk.length - last.length - this.#head.length
    this.#bytes += chunk.length
    if (last.length === 0) return
    this.#tail ??= Buffer.alloc(this.#tailBytes)
    const at = from % this.#tailBytes
    const copied = last.copy(this.#tail, at)
    last.copy(this.#tail, 0, copied)
  }

  #orderedTail(): Buffer {
    if (this.#tail === undefined) return Buffer.alloc(0)
    const behindHead = this.#bytes - this.#head.length
    if (behindHead <= this.#tailBytes) return this.#tail.subarray(0, behindHead)
    const oldest = behindHead % this.#tailBytes
    return Buffer.concat([this.#tail.subarray(oldest), this.#tail.subarray(0, oldest)])
  }
}

/** The longest UTF-8 sequence is four bytes. */
const MAX_SEQUENCE = 4

/** Where the last whole character ends. */
function wholeEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(MAX_SEQUENCE, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (isContinuation(byte)) continue
    return sequenceLength(byte) > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Where the first whole character starts. */
function wholeStart(bytes: Buffer): number {
  let start = 0
  while (start < Math.min(MAX_SEQUENCE - 1, bytes.length) && isContinuation(bytes[start] as number)) start++
  return start
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

function sequenceLength(first: number): number {
  if (first >= 0xf0) return 4
  if (first >= 0xe0) return 3
  return first >= 0xc0 ? 2 : 1
}
