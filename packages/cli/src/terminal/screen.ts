import type { CliIo } from '../cli-io.ts'
import { printable, printableLine } from '../text/printable.ts'
import { type Style, styleOf } from '../text/style.ts'
import { cutToWidth } from '../text/width.ts'

const CLEAR = '\r\u001b[K'

/**
 * What a person reads while something runs: lines, which stay, and at the bottom of a terminal one status line, the only thing that is ever written
 * over. What is said for programs goes to standard output, all else to standard error.
 */
export class Screen {
  /** How standard error is written. */
  readonly style: Style
  readonly #io: CliIo
  readonly #hasStatus: boolean
  #status = ''
  #isShown = false
  /** Standard output stands in the middle of a line on the terminal. */
  #isMidLine = false
  #held: (() => void)[] | undefined

  constructor(io: CliIo) {
    const { stderr, env } = io
    this.#io = io
    this.style = styleOf(stderr, env)
    this.#hasStatus = stderr.isTTY === true && (env['CI'] ?? '') === '' && env['TERM'] !== 'dumb'
  }

  /** A whole line for a person. Its colours are kept: what is in it has to be printable. */
  line(text: string): void {
    this.print(() => {
      this.#endLine()
      this.#io.stderr.write(`${text}\n`)
    })
  }

  /** A piece of a text on standard output, which may be the next piece of the same line. */
  say(text: string): void {
    if (text === '') return
    this.print(() => {
      this.#io.stdout.write(printable(text))
      this.#isMidLine = this.#io.stdout.isTTY === true && !text.endsWith('\n')
    })
  }

  /** What the bottom line says from now on; empty for none. */
  status(text: string): void {
    this.#status = printableLine(text)
    if (this.#held === undefined) this.#update()
  }

  /** Write now or, while a person is asked, when they have answered. The status line is out of the way meanwhile. */
  print(write: () => void): void {
    if (this.#held) {
      this.#held.push(write)
      return
    }
    this.#clear()
    write()
    this.#update()
  }

  /** Ask a person: no line is to fall into what they type. */
  async whileAsking<T>(ask: () => Promise<T>): Promise<T> {
    this.#clear()
    this.#endLine()
    this.#held = []
    try {
      return await ask()
    } finally {
      const held = this.#held
      this.#held = undefined
      for (const write of held) write()
      this.#update()
    }
  }

  /** Leave the terminal as it was found: no status line, no line begun. */
  leave(): void {
    this.#status = ''
    this.#clear()
    this.#endLine()
  }

  #update(): void {
    this.#clear()
    if (!this.#hasStatus || this.#status === '' || this.#isMidLine) return
    const { color, columns = 80 } = this.style
    this.#io.stderr.write(color.dim(cutToWidth(this.#status, columns - 1)))
    this.#isShown = true
  }

  #clear(): void {
    if (this.#isShown) this.#io.stderr.write(CLEAR)
    this.#isShown = false
  }

  #endLine(): void {
    if (this.#isMidLine) this.#io.stdout.write('\n')
    this.#isMidLine = false
  }
}
