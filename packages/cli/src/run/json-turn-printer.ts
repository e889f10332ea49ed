import type { AgentEvent, TurnResult } from '@dsh/agent'
import type { CliIo } from '../cli-io.ts'
import { jsonLine } from '../text/json-line.ts'
import { OpenCalls } from './open-calls.ts'
import type { TurnPrinter } from './turn-printer.ts'

/** JSON Lines on standard output: each event of the log as it is written, those of child agents too, and the result of the turn last. */
export function jsonTurnPrinter(io: CliIo): TurnPrinter {
  const open = new OpenCalls()
  const write = (line: unknown) => void io.stdout.write(`${jsonLine(line, io.stdout)}\n`)
  const heard = (event: AgentEvent): void => {
    if (event.kind === 'child') return heard(event.event)
    if (event.kind !== 'logged') return
    write(event.event)
    open.take(event.event)
  }
  return {
    heard,
    end: (result: TurnResult) => write({ v: 1, type: 'result', ...result }),
    get running() {
      return open.running
    },
  }
}
