import { isEvent, type SessionEvent } from '@dsh/agent'
import type { CliIo } from '../cli-io.ts'
import { readLog } from '../session/read-log.ts'
import { replayLines } from '../session/replay-lines.ts'
import { jsonLine } from '../text/json-line.ts'
import { printableLine } from '../text/printable.ts'
import { styleOf } from '../text/style.ts'
import { UsageError } from '../usage-error.ts'

/** Options of `dsh replay`. */
export interface ReplayOptions {
  readonly json?: boolean
  readonly turn?: number
}

/**
 * `dsh replay ID|FILE`: print what happened in a session, from its log alone.
 * @returns the exit code: 1 when a part of the log cannot be read.
 * @throws UsageError when there is no such session, file or turn.
 */
export async function replayCommand(io: CliIo, root: string, name: string, { json, turn }: ReplayOptions): Promise<number> {
  const { events, torn, broken, holder } = await readLog(root, io.cwd, name)
  const shown = turn === undefined ? events : eventsOfTurn(events, turn)
  if (shown.length === 0 && turn !== undefined) throw new UsageError(`${printableLine(name)} has no turn ${turn}.`)
  const lines = json ? jsonLines(shown, io) : replayLines(shown, { style: styleOf(io.stdout, io.env), holder })
  let printed = 0
  for (const line of lines) {
    printed++
    io.stdout.write(`${line}\n`)
  }
  if (printed === 0 && broken === undefined) io.stderr.write(`Nothing has happened in ${printableLine(name)} yet.\n`)
  const problem = broken ?? torn
  if (problem !== undefined) io.stderr.write(`dsh: ${printableLine(problem)}\n`)
  return broken === undefined ? 0 : 1
}

function* jsonLines(events: readonly SessionEvent[], { stdout }: CliIo): Generator<string> {
  for (const event of events) yield jsonLine(event, stdout)
}

/** The events of one turn, with what was said before it began. */
function eventsOfTurn(events: readonly SessionEvent[], turn: number): SessionEvent[] {
  const of = new Map<number, number>()
  const turns = events.map((event) => {
    if (isEvent(event, 'tool/call')) of.set(event.seq, event.data.turn)
    const { turn: own, call } = (event.data ?? {}) as { readonly turn?: unknown; readonly call?: unknown }
    if (typeof own === 'number' && !isEvent(event, 'agent/parent')) return own // that one names a turn of another log
    return typeof call === 'number' ? of.get(call) : undefined
  })
  for (let at = turns.length - 2; at >= 0; at--) turns[at] ??= turns[at + 1] // what is said before a turn begins belongs to it
  return events.filter((_, index) => turns[index] === turn)
}
