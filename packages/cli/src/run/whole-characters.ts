const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Hands on a text that comes in pieces as soon as it is sure: what a reader sees as one character is never handed on in two. */
export class WholeCharacters {
  readonly #write: (text: string) => void
  #last = ''

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** All but the last character, which the next piece may go on with. */
  add(piece: string): void {
    if (piece === '') return
    const text = this.#last + piece
    const end = graphemes.segment(text).containing(text.length - 1)?.index ?? 0
    this.#last = text.slice(end)
    if (end > 0) this.#write(text.slice(0, end))
  }

  end(): void {
    if (this.#last !== '') this.#write(this.#last)
    this.#last = ''
  }
}
