import { safeEnd } from '../text/cut.ts'
import { numberedLine, type ReadLine } from './read-line.ts'

/** Where a window begins and what it may hold. */
export interface WindowLimits {
  /** 1-based number of the first line. */
  readonly offset: number
  readonly maxLines: number
  /** UTF-16 units a line. */
  readonly maxLineChars: number
  /** UTF-8 bytes of all lines as they are shown: with their numbers, marks and breaks. One line is always shown, so that reading on makes progress. */
  readonly maxBytes: number
}

/**
 * Takes the text of a file piece by piece and keeps the lines of one window, counting all of them. Memory is bounded by the
 * window, whatever the length of the file or of a line. Lines end with LF or CRLF; a last line needs no break.
 */
export class LineWindow {
  readonly lines: ReadLine[] = []
  readonly #limits: WindowLimits
  #closed = 0
  #full = false
  #bytes = 0
  #kept = ''
  #length = 0
  #endsWithCr = false

  /** @param firstLine - number of the line that the text begins with. */
  constructor(limits: WindowLimits, firstLine = 1) {
    this.#limits = limits
    this.#closed = firstLine - 1
  }

  /** Lines seen so far; a last line without a break counts once it holds a character. */
  get totalLines(): number {
    return this.#closed + (this.#length > 0 ? 1 : 0)
  }

  /** The window holds all it may, and another line is known to follow. */
  get isDone(): boolean {
    return this.#full && this.totalLines >= this.#limits.offset + this.lines.length
  }

  push(text: string): void {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#append(text, start, end)
      this.#closeLine()
      start = end + 1
    }
    this.#append(text, start, text.length)
  }

  /** Close a last line that has no break. */
  end(): void {
    if (this.#length > 0) this.#closeLine()
  }

  #append(text: string, start: number, end: number): void {
    if (start === end) return
    this.#length += end - start
    if (!this.#inWindow()) return
    this.#endsWithCr = text.charCodeAt(end - 1) === 13
    const room = this.#limits.maxLineChars + 1 - this.#kept.length // one more than shown, to see whether a pair would be cut
    if (room > 0) this.#kept += text.slice(start, Math.min(end, start + room))
  }

  #closeLine(): void {
    if (this.#inWindow()) this.#keepLine()
    this.#closed++
    this.#kept = ''
    this.#length = 0
    this.#endsWithCr = false
  }

  #keepLine(): void {
    const { maxLineChars, maxLines, maxBytes } = this.#limits
    const length = this.#length - (this.#endsWithCr ? 1 : 0)
    const text = this.#kept.slice(0, length <= maxLineChars ? length : safeEnd(this.#kept, maxLineChars))
    const line = { number: this.#closed + 1, text, ...(text.length < length ? { cut: length - text.length } : {}) }
    const bytes = Buffer.byteLength(numberedLine(line)) + 1
    if (this.lines.length > 0 && this.#bytes + bytes > maxBytes) {
      this.#full = true
      return
    }
    this.#bytes += bytes
    this.lines.push(line)
    this.#full = this.lines.length === maxLines
  }

  #inWindow(): boolean {
    return !this.#full && this.#closed + 1 >= this.#limits.offset
  }
}
