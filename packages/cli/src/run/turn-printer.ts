import { type AgentEvent, type CallLife, isEvent, type SessionEvent, type SessionEventOf, type TurnResult } from '@dsh/agent'
import type { CliIo } from '../cli-io.ts'
import { cardBody } from '../result/card-body.ts'
import { resultLine } from '../result/result-line.ts'
import type { Screen } from '../terminal/screen.ts'
import { firstUnits, printableLine } from '../text/printable.ts'
import { OpenCalls } from './open-calls.ts'
import { WholeCharacters } from './whole-characters.ts'

/** Tells a person how a turn goes. */
export interface TurnPrinter {
  heard(event: AgentEvent): void
  end(result: TurnResult): void
  /** The names of the calls whose bodies run. */
  readonly running: readonly string[]
}

/**
 * One line for each call when it ends, one status line for what runs. What the model says is written as it comes on a terminal; elsewhere its last
 * words are what standard output holds, and the rest is told on standard error.
 */
export function turnPrinter(io: CliIo, screen: Screen): TurnPrinter {
  return new Printer(io, screen)
}

class Printer implements TurnPrinter {
  readonly #screen: Screen
  readonly #isLive: boolean
  readonly #characters: WholeCharacters
  readonly #open = new OpenCalls()
  readonly #started = performance.now()
  #isAsking = false
  #calls = 0
  #failed = 0

  constructor(io: CliIo, screen: Screen) {
    this.#screen = screen
    this.#isLive = io.stdout.isTTY === true
    this.#characters = new WholeCharacters((text) => screen.say(text))
  }

  get running(): readonly string[] {
    return this.#open.running
  }

  heard(event: AgentEvent, depth = 0): void {
    switch (event.kind) {
      case 'child':
        this.heard(event.event, depth + 1)
        return
      case 'piece':
        if (depth === 0 && this.#isLive && event.event.kind === 'text') this.#characters.add(event.event.text)
        return
      case 'retry': {
        const { error, waitMs } = event
        this.#line(`… ${printableLine(error.message)} Asking again in ${Math.ceil(waitMs / 1_000)} s.`, depth)
        return
      }
      case 'logged':
        this.#logged(event.event, depth)
        return
      case 'stopping':
        return // said by whoever listens to Ctrl-C
    }
  }

  end({ outcome, text, steps, usage, error, finish }: TurnResult): void {
    this.#screen.status('')
    this.#characters.end()
    if (!this.#isLive && text !== '' && (outcome === 'answered' || outcome === 'concluded')) this.#screen.say(`${text}\n`)
    if (error && outcome === 'failed')
      this.#screen.line(`dsh: the turn failed (${printableLine(error.code)}): ${printableLine(error.message)}`)
    if (outcome === 'max-steps')
      this.#screen.line(`dsh: the turn was ended after ${steps} steps; --max-steps allows more, --session goes on with it.`)
    if (finish === 'length' && outcome === 'answered') this.#screen.line('dsh: the answer was cut at its limit of tokens.')
    const failed = this.#failed > 0 ? ` (${this.#failed} failed)` : ''
    const tokens = usage
      ? `, ${(usage.inputTokens ?? 0).toLocaleString('en')} + ${(usage.outputTokens ?? 0).toLocaleString('en')} tokens`
      : ''
    const totals = `${count(steps, 'step')}, ${count(this.#calls, 'call')}${failed}${tokens}, ${((performance.now() - this.#started) / 1_000).toFixed(1)} s`
    this.#screen.line(this.#screen.style.color.dim(totals))
  }

  #logged(event: SessionEvent, depth: number): void {
    const life = this.#open.take(event)
    if (isEvent(event, 'step/start')) this.#isAsking = true
    else if (isEvent(event, 'assistant/message')) this.#said(event, depth)
    else if (isEvent(event, 'user/message') && event.data.source.kind === 'plugin' && depth === 0)
      this.#line(this.#dim(`+ ${sourceOf(event)}`), depth)
    else if (isEvent(event, 'tool/result') && life) this.#settled(life, depth)
    this.#screen.status(this.#status())
  }

  #said({ data: { content, broken } }: SessionEventOf<'assistant/message'>, depth: number): void {
    this.#isAsking = false
    if (depth > 0) return
    this.#characters.end()
    const isLast = broken === undefined && !content.some(({ type }) => type === 'tool-call')
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    if (!this.#isLive && !isLast && text.trim() !== '')
      for (const line of text.trim().split('\n')) this.#line(this.#dim(printableLine(line)), 0)
    if (this.#isLive && text !== '' && !text.endsWith('\n')) this.#screen.say('\n')
    if (broken && broken.code !== 'CANCELLED') this.#line(`… the answer is not whole: ${printableLine(broken.message)}`, 0)
  }

  #settled(life: CallLife, depth: number): void {
    const { call, starts, result } = life
    this.#calls++
    if (result === undefined) return
    if (result.data.isError) this.#failed++
    const start = starts.at(-1)
    const settled = {
      name: call.data.name,
      cards: { call: call.data.view, result: result.data.view },
      result: result.data,
      ranMs: start === undefined ? undefined : result.time - start.time,
    }
    const { columns } = this.#screen.style
    const style = { ...this.#screen.style, columns: columns === undefined ? undefined : Math.max(20, columns - 2 * depth) }
    for (const line of [resultLine(settled, style), ...cardBody(settled.cards.result, style)]) this.#line(line, depth)
  }

  #status(): string {
    const { running, waiting } = this.#open
    if (running.length > 0) return `running: ${running.join(', ')}${waiting > 0 ? `; ${waiting} waiting` : ''}`
    if (waiting > 0) return `${count(waiting, 'call')} waiting`
    return this.#isAsking ? 'asking the model' : ''
  }

  #line(text: string, depth: number): void {
    this.#screen.line('  '.repeat(depth) + text)
  }

  #dim(text: string): string {
    return this.#screen.style.color.dim(text)
  }
}

function sourceOf({ data }: SessionEventOf<'user/message'>): string {
  const text = data.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join(' ')
  return firstUnits(printableLine(`${data.source.name}: ${text}`), 200)
}

function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`
}
