import { type CallLife, callLives, isEvent, type SessionEvent } from '@dsh/agent'
import type { ContentBlock } from '@dsh/tools'
import { resultLine } from '../result/result-line.ts'
import { firstUnits, printable, printableLine } from '../text/printable.ts'
import type { Style } from '../text/style.ts'

const MAX_TEXT = 2_000

/** What happened in a log, line by line, as it was printed when it happened: from the log alone. */
export function* replayLines(events: readonly SessionEvent[], style: Style): Generator<string> {
  const lives = callLives(events)
  const manyTurns = new Set([...lives.values()].map(({ call }) => call.data.turn)).size > 1
  let turn: number | undefined
  for (const event of events) {
    if ((isEvent(event, 'tool/call') || isEvent(event, 'assistant/message')) && event.data.turn !== turn) {
      turn = event.data.turn
      if (manyTurns) yield style.color.dim(`Turn ${turn}`)
    }
    const line = lineOf(event, lives, style)
    if (line !== undefined) yield line
  }
  for (const life of lives.values()) if (life.result === undefined) yield openLine(life, style)
}

function lineOf(event: SessionEvent, lives: ReadonlyMap<number, CallLife>, { color, columns }: Style): string | undefined {
  if (isEvent(event, 'user/message')) return indented('> ', event.data.content)
  if (isEvent(event, 'assistant/message')) return indented('', event.data.content)
  if (isEvent(event, 'approval/asked')) return `? ${nameOf(lives.get(event.data.call))} asks to run${because(event.data.reason)}`
  if (isEvent(event, 'approval/decided')) return `  ${decisionOf(event.data)}`
  if (!isEvent(event, 'tool/result')) return undefined
  const life = lives.get(event.data.call)
  if (life === undefined || life.result?.seq !== event.seq) return undefined // of no call, or one too many
  const cards = { call: life.call.data.view, result: event.data.view }
  const line = resultLine({ name: life.call.data.name, cards, result: event.data, ranMs: ranMs(life, event) }, { color, columns })
  return event.data.repaired ? `${line} ${color.dim('(written when the session was opened again)')}` : line
}

/** From the last start of the body to its result; one that was repaired ran nobody knows how long. */
function ranMs({ starts, result }: CallLife, { time }: SessionEvent): number | undefined {
  const start = starts.at(-1)
  return start === undefined || result?.data.repaired ? undefined : time - start.time
}

function openLine({ call, starts }: CallLife, { color }: Style): string {
  const state = starts.length > 0 ? 'started' : 'not started'
  return `${color.yellow('…')} ${color.bold(printableLine(call.data.name))} ${color.dim(`has no result in the log: it was ${state} when the log ends`)}`
}

function nameOf(life: CallLife | undefined): string {
  return life === undefined ? 'a call' : printableLine(life.call.data.name)
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${printableLine(reason)}`
}

function decisionOf({ outcome, note, expired }: { readonly outcome: string; readonly note?: string; readonly expired?: boolean }): string {
  const what = outcome === 'allowed-once' ? 'allowed once' : expired ? 'nobody answered in time' : outcome
  return `${printableLine(what)}${because(note)}`
}

function indented(mark: string, content: readonly ContentBlock[]): string {
  const text = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
  const shown = printable(firstUnits(text, MAX_TEXT))
  const more = shown.length < text.length ? `\n… the first ${MAX_TEXT} of ${text.length} characters` : ''
  return `${shown}${more}`
    .split('\n')
    .map((line) => mark + line)
    .join('\n')
}
