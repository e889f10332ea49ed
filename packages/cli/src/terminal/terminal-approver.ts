import { isCancel, select, text } from '@clack/prompts'
import type { ApprovalCard, Approver, ApproverAnswer, ApproverContext } from '@dsh/agent'
import type { CliIo } from '../cli-io.ts'
import { printableLine } from '../text/printable.ts'
import { cardLines } from './card-lines.ts'
import type { Screen } from './screen.ts'

type Choice = 'allow' | 'session' | 'deny' | 'reason' | 'stop'

/** Whether a person can be asked: there is a terminal on standard input and on standard error. */
export function canAsk({ stdin, stderr }: CliIo): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

/** Asks the person at the terminal, one call at a time. Keys typed before the question stands there are thrown away, and its first choice is to deny. */
export class TerminalApprover implements Approver {
  readonly name = 'the terminal'
  /** Called when the person denies a call and wants no more of the turn. */
  onStop: (tool: string) => void = () => undefined
  readonly #io: CliIo
  readonly #screen: Screen

  constructor(io: CliIo, screen: Screen) {
    this.#io = io
    this.#screen = screen
  }

  ask(card: ApprovalCard, context: ApproverContext): Promise<ApproverAnswer> {
    return this.#screen.whileAsking(() => this.#ask(card, context))
  }

  async #ask(card: ApprovalCard, { signal, position, waiting }: ApproverContext): Promise<ApproverAnswer> {
    const { stdin, stderr } = this.#io
    if (signal.aborted) return { outcome: 'cancelled' }
    if (stdin.readableEnded || stdin.destroyed) return { outcome: 'unavailable', note: 'standard input has ended.' }
    if (await this.#wasInterrupted()) return this.#unanswered('interrupt')
    if (signal.aborted) return this.#unanswered('withdrawn')
    for (const line of cardLines(card, { style: this.#screen.style, position, waiting })) stderr.write(`${line}\n`)
    const choices = { message: 'Allow it?', options: choicesFor(card), initialValue: 'deny' as const }
    const chosen = await this.#prompt<Choice>(signal, (terminal) => select<Choice>({ ...choices, ...terminal }))
    return isAnswer(chosen) ? this.#answer(card, chosen.value, signal) : this.#unanswered(chosen.left)
  }

  async #answer(card: ApprovalCard, chosen: Choice, signal: AbortSignal): Promise<ApproverAnswer> {
    switch (chosen) {
      case 'allow':
        return { outcome: 'allowed-once' }
      case 'session':
        return { outcome: 'allowed-once', grant: true }
      case 'deny':
        return { outcome: 'rejected' }
      case 'reason': {
        const note = await this.#prompt<string>(signal, (terminal) => text({ message: 'Why? The model reads it.', ...terminal }))
        const words = isAnswer(note) ? (note.value ?? '').trim() : ''
        return words === '' ? { outcome: 'rejected' } : { outcome: 'rejected', note: words }
      }
      case 'stop':
        this.onStop(card.tool)
        return { outcome: 'rejected', note: 'They want the turn to end here.' }
    }
  }

  /** Throw away what was typed before the question stands there: keys that were meant for nothing are not to choose anything. */
  async #wasInterrupted(): Promise<boolean> {
    const { stdin } = this.#io
    let typed = ''
    const hear = (chunk: Buffer | string) => {
      typed += String(chunk)
    }
    const raw = stdin as { setRawMode?: (isRaw: boolean) => void }
    raw.setRawMode?.(true)
    stdin.on('data', hear)
    await new Promise((resolve) => setTimeout(resolve, TYPED_AHEAD_MS))
    stdin.off('data', hear).pause()
    return typed.includes(CTRL_C)
  }

  /** Ctrl-C is what it is everywhere; Escape denies; a question that is withdrawn, and the end of the input, are no answer. */
  #unanswered(left: Left): ApproverAnswer {
    if (left === 'escape') return { outcome: 'rejected' }
    if (left === 'interrupt') this.#io.interrupt()
    return { outcome: 'cancelled' }
  }

  /** Show a prompt. Its signal is its own: it acts on one that fires after the answer, too, and would write among other lines. */
  async #prompt<T>(signal: AbortSignal, show: (terminal: Terminal) => Promise<unknown>): Promise<Answer<T> | { readonly left: Left }> {
    if (signal.aborted) return { left: 'withdrawn' } // since it was last looked at: no event tells of it any more
    const { stdin, stderr } = this.#io
    const own = new AbortController()
    let left: Left = 'escape'
    const leave = (how: Left) => {
      left = how
      own.abort()
    }
    const withdraw = () => leave('withdrawn')
    const end = () => leave('end')
    // While a prompt is open the terminal gives keys instead of signals.
    const listen = (chunk: Buffer | string) => {
      if (String(chunk).includes(CTRL_C)) leave('interrupt')
      else if (String(chunk).includes(CTRL_D)) end()
    }
    signal.addEventListener('abort', withdraw, { once: true })
    stdin.once('end', end).prependListener('data', listen)
    try {
      const value = await show({ input: stdin, output: stderr, signal: own.signal })
      return isCancel(value) ? { left } : { value: value as T }
    } finally {
      signal.removeEventListener('abort', withdraw)
      stdin.off('end', end).off('data', listen)
    }
  }
}

/** How long keys are thrown away before a question: what a terminal has kept arrives at once. */
const TYPED_AHEAD_MS = 100

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

/** How a person leaves a prompt without an answer. */
type Left = 'escape' | 'interrupt' | 'end' | 'withdrawn'

type Terminal = { readonly input: CliIo['stdin']; readonly output: CliIo['stderr']; readonly signal: AbortSignal }

type Answer<T> = { readonly value: T }

function isAnswer<T>(from: Answer<T> | { readonly left: Left }): from is Answer<T> {
  return 'value' in from
}

function choicesFor({ tool, grant }: ApprovalCard) {
  const session = {
    value: 'session',
    label: `Allow ${printableLine(tool)} for this session`,
    hint: printableLine(grant?.message ?? ''),
  } as const
  return [
    { value: 'allow', label: 'Allow once' } as const,
    ...(grant ? [session] : []),
    { value: 'deny', label: 'Deny' } as const,
    { value: 'reason', label: 'Deny, and say why' } as const,
    { value: 'stop', label: 'Deny, and stop the turn' } as const,
  ]
}
