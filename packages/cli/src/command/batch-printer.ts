import type { BatchLine } from '../batch/batch-lines.ts'
import type { CommittedCall } from '../batch/run-batch.ts'
import type { CliIo } from '../cli-io.ts'
import type { Workspace } from '../host/workspace.ts'
import { cardsOf } from '../result/cards-of.ts'
import { brokenLineJson, resultJson } from '../result/result-json.ts'
import { resultLine } from '../result/result-line.ts'
import { printableLine } from '../text/printable.ts'
import { type Style, styleOf } from '../text/style.ts'

/** How a batch went, in numbers. */
export interface Totals {
  readonly calls: number
  readonly failed: number
  readonly broken: number
  readonly ms: number
}

/** Tells a batch: each result and each broken line in its place, and the totals. */
export interface Printer {
  committed(call: CommittedCall): void
  broken(file: string, line: Extract<BatchLine, { problem: string }>): void
  end(totals: Totals): void
}

/** One JSON line each on standard output; broken lines are told on standard error as well. */
export function jsonPrinter(io: CliIo): Printer {
  const tellBroken = brokenTeller(io)
  return {
    committed: ({ callId, call, result }) => void io.stdout.write(`${resultJson({ callId, name: call.name, result }, io.stdout)}\n`),
    broken(file, { line, problem }) {
      tellBroken(file, line, problem)
      io.stdout.write(`${brokenLineJson(line, problem)}\n`)
    },
    end: () => undefined,
  }
}

/** One line each for a person. */
export function humanPrinter(io: CliIo, { runtime, operator }: Workspace): Printer {
  const style = styleOf(io.stdout, io.env)
  const tellBroken = brokenTeller(io)
  return {
    committed({ call, result, ranMs, arguments: args }) {
      const definition = runtime.tools.get(call.name, operator)
      const settled = { name: call.name, cards: cardsOf(definition, args, result), result, ranMs }
      io.stdout.write(`${resultLine(settled, style)}\n`)
    },
    broken: (file, { line, problem }) => tellBroken(file, line, problem),
    end: (totals) => void io.stdout.write(`${totalsLine(totals, style)}\n`),
  }
}

function totalsLine({ calls, failed, broken, ms }: Totals, { color }: Style): string {
  const parts = [`${calls} ${calls === 1 ? 'call' : 'calls'}`, `${calls - failed} ok`]
  if (failed > 0) parts.push(color.red(`${failed} failed`))
  if (broken > 0) parts.push(color.red(`${broken} broken ${broken === 1 ? 'line' : 'lines'}`))
  return `${parts.join(', ')} in ${Math.round(ms)} ms`
}

const MAX_TOLD = 20

/** Tells broken lines on standard error: the first ones, and then that there are more. */
function brokenTeller(io: CliIo): (file: string, line: number, problem: string) => void {
  let told = 0
  return (file, line, problem) => {
    if (++told <= MAX_TOLD) io.stderr.write(`${file}:${line}: skipped: ${printableLine(problem)}\n`)
    else if (told === MAX_TOLD + 1) io.stderr.write(`${file}: more lines are skipped. Is this a file of JSON Lines?\n`)
  }
}
