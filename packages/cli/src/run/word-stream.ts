/** Hands on a text that comes in pieces, word by word: what a piece may have cut (a character, an emoji) is whole in what it gives. */
export class WordStream {
  readonly #write: (text: string) => void
  #rest = ''

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  add(piece: string): void {
    const text = this.#rest + piece
    const end = text.search(/\s\S*$/) + 1
    this.#rest = text.slice(end)
    if (end > 0) this.#write(text.slice(0, end))
  }

  end(): void {
    if (this.#rest !== '') this.#write(this.#rest)
    this.#rest = ''
  }
}
