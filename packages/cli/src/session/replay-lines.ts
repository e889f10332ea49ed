import { type CallLife, callLives, isEvent, type SessionEvent, type SessionEventMap, type SessionHolder } from '@dsh/agent'
import type { AssistantBlock } from '@dsh/tools/ports'
import { cardBody } from '../result/card-body.ts'
import { resultLine } from '../result/result-line.ts'
import { firstUnits, printable, printableLine } from '../text/printable.ts'
import type { Style } from '../text/style.ts'

const MAX_TEXT = 2_000

/** What is read beside the events. */
export interface ReplayOptions {
  readonly style: Style
  /** Who writes the log now: null when nobody does, undefined when nobody knows. */
  readonly holder: SessionHolder | null | undefined
}

/**
 * What happened in a log, line by line, as it was printed when it happened: from the log alone. Calls come in their order, as a batch
 * prints them: one that has its result before an earlier one waits for it.
 */
export function* replayLines(events: readonly SessionEvent[], { style, holder }: ReplayOptions): Generator<string> {
  const lives = callLives(events)
  const manyTurns =
    new Set(events.flatMap((event) => (isEvent(event, 'tool/call') || isEvent(event, 'assistant/message') ? event.data.turn : []))).size > 1
  const waiting = new Set<CallLife>()
  const settled = new Set<CallLife>()
  let turn: number | undefined
  for (const event of events) {
    if ((isEvent(event, 'tool/call') || isEvent(event, 'assistant/message')) && event.data.turn !== turn) {
      yield* callLines(waiting)
      turn = event.data.turn
      if (manyTurns) yield style.color.dim(`Turn ${turn}`)
    }
    if (isEvent(event, 'tool/call')) waiting.add(lives.get(event.seq) as CallLife)
    else if (isEvent(event, 'tool/result')) {
      const life = lives.get(event.data.call)
      if (life) settled.add(life)
      yield* callLines(waiting, settled)
    } else {
      const line = lineOf(event, lives)
      if (line !== undefined) yield line
    }
  }
  yield* callLines(waiting)

  /** Those that wait, up to the first that is not among `ready`. */
  function* callLines(calls: Set<CallLife>, ready?: ReadonlySet<CallLife>): Generator<string> {
    for (const life of calls) {
      if (ready && !ready.has(life)) return
      calls.delete(life)
      yield life.result ? closedLine(life, life.result, style) : openLine(life, style, holder)
    }
  }
}

function lineOf(event: SessionEvent, lives: ReadonlyMap<number, CallLife>): string | undefined {
  if (isEvent(event, 'user/message')) return indented('> ', event.data.content)
  if (isEvent(event, 'assistant/message')) return answerLine(event.data)
  if (isEvent(event, 'approval/asked')) return `? ${nameOf(lives.get(event.data.call))} asks to run${because(whyOf(event.data))}`
  if (isEvent(event, 'approval/decided')) return `  ${decisionOf(event.data)}`
  if (isEvent(event, 'approval/granted'))
    return `  allowed for this session: what that rule asks about of ${printableLine(event.data.tool)}`
  if (isEvent(event, 'agent/start'))
    return `→ the agent ${printableLine(event.data.agent)} was made; its session is ${printableLine(event.data.session)}`
  if (isEvent(event, 'turn/end')) return endLine(event.data)
  return undefined
}

function answerLine({ content, broken }: SessionEventMap['assistant/message']): string | undefined {
  const said = indented('< ', content)
  const note = broken && `… it is not whole (${printableLine(broken.code)}): ${printableLine(broken.message)}`
  return [said, note].filter((line) => line !== undefined).join('\n') || undefined
}

/** How a turn ended, where that is not what its last answer shows. */
function endLine({ outcome, steps, error }: SessionEventMap['turn/end']): string | undefined {
  if (outcome === 'answered' || outcome === 'concluded') return undefined
  const what =
    outcome === 'max-steps'
      ? `ended at its limit of ${steps} steps`
      : `was ${outcome === 'failed' ? 'ended by a failure' : printableLine(outcome)}`
  return `The turn ${what}${error ? ` (${printableLine(error.code)}): ${printableLine(error.message)}` : ''}`
}

function closedLine(life: CallLife, result: Result, style: Style): string {
  const { name, view } = life.call.data
  const cards = { call: view, result: result.data.view }
  const own = resultLine({ name, cards, result: result.data, ranMs: ranMs(life, result) }, style)
  const line = [own, ...cardBody(cards.result, style)].join('\n')
  return result.data.repaired ? `${line}\n  ${style.color.dim('written when the session was opened again')}` : line
}

type Result = NonNullable<CallLife['result']>

/** From the last start of the body to its result; one that was repaired ran nobody knows how long. */
function ranMs({ starts }: CallLife, { time, data }: Result): number | undefined {
  const start = starts.at(-1)
  return start === undefined || data.repaired ? undefined : time - start.time
}

function openLine({ call, starts }: CallLife, { color }: Style, holder: SessionHolder | null | undefined): string {
  const state = `it ${openState(starts.length > 0, holder)}`
  return `${color.yellow('…')} ${color.bold(printableLine(call.data.name))} ${color.dim(`has no result in the log: ${state}`)}`
}

function openState(isStarted: boolean, holder: SessionHolder | null | undefined): string {
  if (holder) return `${isStarted ? 'is running' : 'is about to run'} in process ${holder.pid} on ${printableLine(holder.host)}`
  if (holder === null) return isStarted ? 'was running when its process ended' : 'had not started when its process ended'
  return isStarted ? 'was running when the log ends' : 'had not started when the log ends'
}

/** What the person was shown. */
function whyOf({ reason, displayReason }: { readonly reason?: string; readonly displayReason?: Readonly<Record<string, unknown>> }) {
  const shown = displayReason?.['en']
  return typeof shown === 'string' ? shown : reason
}

function nameOf(life: CallLife | undefined): string {
  return life === undefined ? 'a call' : printableLine(life.call.data.name)
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${printableLine(reason)}`
}

const DECISIONS: ReadonlyMap<string, string> = new Map([
  ['allowed-once', 'allowed once'],
  ['rejected', 'refused'],
  ['cancelled', 'not answered'],
  ['unavailable', 'nobody could be asked'],
])

function decisionOf({ outcome, note, expired }: { readonly outcome: string; readonly note?: string; readonly expired?: boolean }): string {
  const what = expired ? 'nobody answered in time' : (DECISIONS.get(outcome) ?? outcome)
  return `${printableLine(what)}${because(note)}`
}

/** What is said in a message; calls have lines of their own, and thoughts are the model's. */
function indented(mark: string, content: readonly AssistantBlock[]): string | undefined {
  const said = content.filter(({ type }) => type !== 'tool-call' && type !== 'reasoning')
  if (said.length === 0) return undefined
  const text = said.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
  const shown = printable(firstUnits(text, MAX_TEXT))
  const more = text.length > MAX_TEXT ? `\n… the first ${MAX_TEXT} of ${text.length} characters` : ''
  return `${shown}${more}`
    .split('\n')
    .map((line) => mark + line)
    .join('\n')
}
