import { createInterface } from 'node:readline'
import type { ApprovalAnswer, ApprovalRequest, ApprovalService } from '@dsh/tools/ports'
import type { CliIo } from '../cli-io.ts'
import { firstUnits, printable, printableLine } from '../text/printable.ts'

const MAX_ARGUMENTS = 2_000
const NO_TERMINAL =
  'there is no terminal on standard input and standard error to ask on. Run it in a terminal, or allow the call with a policy (--use FILE).'

/** How asks are answered: by the person at the terminal, or by nobody. */
export type ApproveMode = 'ask' | 'never'

/**
 * The approval service of the command line: a question at the terminal, one at a time. Where nobody can be asked, it says so.
 * The terminal stays in its usual mode, so Ctrl-C is Ctrl-C and nothing that was printed is drawn again.
 */
export class Approver implements ApprovalService {
  readonly #io: CliIo
  readonly #mode: ApproveMode
  #last: Promise<unknown> = Promise.resolve()
  #open = false
  #held: (() => void)[] = []

  constructor(io: CliIo, mode: ApproveMode) {
    this.#io = io
    this.#mode = mode
  }

  async request(ask: ApprovalRequest): Promise<ApprovalAnswer> {
    const { stdin, stderr } = this.#io
    if (this.#mode === 'never') return { outcome: 'unavailable', note: 'asking is switched off with --approve never.' }
    if (stdin.isTTY !== true || stderr.isTTY !== true) return { outcome: 'unavailable', note: NO_TERMINAL }
    const answer = this.#last.then(() => this.#ask(ask))
    this.#last = answer.catch(() => undefined) // told to whoever asked
    return answer
  }

  /** Print now or, while a question is open, when it has been answered: no line is to fall into what a person types. */
  print(print: () => void): void {
    if (this.#open) this.#held.push(print)
    else print()
  }

  async #ask(ask: ApprovalRequest): Promise<ApprovalAnswer> {
    const { stdin, stderr } = this.#io
    if (ask.signal.aborted) return { outcome: 'cancelled' }
    if (stdin.readableEnded || stdin.destroyed) return { outcome: 'unavailable', note: 'standard input has ended.' }
    this.#open = true
    try {
      stderr.write(question(ask))
      const answer = await nextLine(stdin, ask.signal)
      if (answer === undefined) stderr.write(ask.signal.aborted ? '(withdrawn)\n' : '(no answer)\n')
      return toAnswer(answer)
    } finally {
      this.#open = false
      for (const print of this.#held.splice(0)) print()
    }
  }
}

function question({ exec, reason, displayReason }: ApprovalRequest): string {
  const why = displayReason?.['en'] ?? reason
  const args = JSON.stringify(exec.arguments, null, 2)
  const cut = args.length > MAX_ARGUMENTS ? `\n… the first ${MAX_ARGUMENTS} of ${args.length} characters` : ''
  const asks = `? ${printableLine(exec.name)} asks to run${why === undefined ? '' : `: ${printableLine(why)}`}`
  return `\n${asks}\n${printable(firstUnits(args, MAX_ARGUMENTS))}${cut}\n  Allow once? [y/N, or n and a reason] `
}

/** The next line a person types; undefined when the input ends or the question is withdrawn first. */
function nextLine(stdin: CliIo['stdin'], signal: AbortSignal): Promise<string | undefined> {
  const reader = createInterface({ input: stdin, terminal: false })
  const close = () => reader.close()
  return new Promise<string | undefined>((resolve) => {
    reader.once('line', resolve)
    reader.once('close', () => resolve(undefined))
    signal.addEventListener('abort', close, { once: true })
  }).finally(() => {
    signal.removeEventListener('abort', close)
    reader.close()
  })
}

function toAnswer(typed: string | undefined): ApprovalAnswer {
  if (typed === undefined) return { outcome: 'cancelled' }
  const answer = typed.trim()
  if (/^(y|yes)$/i.test(answer)) return { outcome: 'allowed-once' }
  const note = answer.replace(/^(no|n)\b[\s,:;.-]*/i, '')
  return note === '' ? { outcome: 'rejected' } : { outcome: 'rejected', note }
}
