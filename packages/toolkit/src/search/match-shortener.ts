import type { RecordShortener } from './record-splitter.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const OPEN = [0x7b, 0x5b]
const CLOSE = [0x7d, 0x5d]
const OPEN_ARRAY = 0x5b
const MAX_STRING_BYTES = 32_768
/** Room for the strings of one match (path, line, match text) and what stands between them. */
const MAX_BYTES = 4 * MAX_STRING_BYTES
const ENDING = Buffer.from(']}}')

/**
 * Makes one of ripgrep's match records short while it streams by: every string keeps its first 32 KiB, and of the submatches
 * only the first is kept. What comes out is valid JSON, so a line of any length costs bounded memory.
 */
export class MatchShortener implements RecordShortener {
  readonly #out = Buffer.allocUnsafe(MAX_BYTES)
  #size = 0
  #inString = false
  #stringBytes = 0
  /** Bytes of an escape still to come; -1 before the byte that tells how many. */
  #escape = 0
  #keepsEscape = false
  #depth = 0
  #arrayDepth: number | undefined
  #done = false

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && !this.#done; at++) {
      const byte = bytes[at] as number
      if (this.#escape !== 0) this.#takeEscaped(byte)
      else if (this.#inString && this.#stringBytes >= MAX_STRING_BYTES && byte !== QUOTE) at = this.#skipInString(bytes, at)
      else if (this.#inString) this.#takeInString(byte)
      else this.#takeStructure(byte)
    }
  }

  end(): Buffer {
    return this.#out.subarray(0, this.#size)
  }

  /** An escape is kept whole or not at all. */
  #takeEscaped(byte: number): void {
    if (this.#escape === -1) this.#escape = byte === LETTER_U ? 4 : 0
    else this.#escape--
    if (this.#keepsEscape) this.#keep(byte)
  }

  #takeInString(byte: number): void {
    if (byte === QUOTE) {
      this.#inString = false
      this.#emit(byte)
      return
    }
    if (byte === BACKSLASH) {
      this.#escape = -1
      this.#keepsEscape = true
    }
    this.#keep(byte)
  }

  /** Pass over what is dropped of a string. @returns the index of the last byte that was passed. */
  #skipInString(bytes: Buffer, from: number): number {
    let at = from
    for (; at < bytes.length && bytes[at] !== QUOTE; at++) {
      if (bytes[at] !== BACKSLASH) continue
      if (++at === bytes.length) {
        this.#escape = -1
        this.#keepsEscape = false
      }
    }
    return at - 1
  }

  #takeStructure(byte: number): void {
    this.#emit(byte)
    if (byte === QUOTE) {
      this.#inString = true
      this.#stringBytes = 0
    } else if (OPEN.includes(byte)) {
      this.#depth++
      if (byte === OPEN_ARRAY) this.#arrayDepth = this.#depth
    } else if (CLOSE.includes(byte)) {
      this.#depth--
      if (this.#depth === this.#arrayDepth) this.#finishArray()
    }
  }

  /** The first submatch has closed: end the record here. */
  #finishArray(): void {
    for (const byte of ENDING) this.#emit(byte)
    this.#done = true
  }

  #keep(byte: number): void {
    this.#stringBytes++
    this.#emit(byte)
  }

  #emit(byte: number): void {
    if (this.#size === MAX_BYTES) throw new RangeError('A ripgrep match record does not have the shape it is known for.')
    this.#out[this.#size++] = byte
  }
}
