import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { JsonValue } from '@dsh/tools'
import { type BatchLine, parseBatch } from '../batch/batch-lines.ts'
import { type CommittedCall, runBatch } from '../batch/run-batch.ts'
import { type CliIo, readAll } from '../cli-io.ts'
import type { Workspace } from '../host/workspace.ts'
import { brokenLineJson, resultJson } from '../result/result-json.ts'
import { resultLine } from '../result/result-line.ts'
import { printableLine } from '../text/printable.ts'
import { styleOf } from '../text/style.ts'
import { systemReason, UsageError } from '../usage-error.ts'

/** Options of `dsh batch`. */
export interface BatchOptions {
  readonly json?: boolean
  readonly maxParallel?: number
}

/** `dsh batch FILE`: run the calls of a file of JSON Lines. @returns the exit code. @throws UsageError when the file cannot be read. */
export async function batchCommand(io: CliIo, workspace: Workspace, file: string, options: BatchOptions): Promise<number> {
  const lines = parseBatch(await readBatch(io, file))
  const printer = options.json ? jsonPrinter(io) : humanPrinter(io, workspace)
  const shownAs = file === '-' ? 'standard input' : file
  const calls = lines.flatMap((line) => ('call' in line ? [line.call] : []))
  const broken = lines.length - calls.length
  if (lines.length === 0) io.stderr.write(`${shownAs} holds no calls.\n`)
  let next = 0
  // Broken lines are told in their place, between the results of their neighbours.
  const tellBroken = () => {
    for (let line = lines[next]; line && 'problem' in line; line = lines[++next]) printer.broken(shownAs, line)
  }
  tellBroken()
  const started = performance.now()
  const { failed, interrupted } = await runBatch(io, workspace, calls, {
    ...(options.maxParallel !== undefined && { maxParallel: options.maxParallel }),
    onCommitted(committed) {
      next++
      printer.committed(committed)
      tellBroken()
    },
  })
  printer.end({ calls: calls.length, failed, broken, ms: performance.now() - started })
  if (interrupted) return 130
  return failed + broken > 0 ? 1 : 0
}

async function readBatch(io: CliIo, file: string): Promise<Buffer> {
  if (file === '-') return readAll(io.stdin)
  try {
    return await readFile(resolve(io.cwd, file))
  } catch (error) {
    throw new UsageError(`${file}: ${systemReason(error)}. Name a file of JSON Lines, or - for standard input.`)
  }
}

interface Printer {
  committed(call: CommittedCall): void
  broken(file: string, line: Extract<BatchLine, { problem: string }>): void
  end(totals: { readonly calls: number; readonly failed: number; readonly broken: number; readonly ms: number }): void
}

function jsonPrinter(io: CliIo): Printer {
  return {
    committed: ({ callId, call, result }) => void io.stdout.write(`${resultJson(callId, call.name, result)}\n`),
    broken(file, { line, problem }) {
      tellBroken(io, file, line, problem)
      io.stdout.write(`${brokenLineJson(line, problem)}\n`)
    },
    end: () => undefined,
  }
}

function humanPrinter(io: CliIo, { runtime, operator }: Workspace): Printer {
  const style = styleOf(io.stdout, io.env)
  return {
    committed({ call, result, ranMs, arguments: args }) {
      const definition = runtime.tools.get(call.name, operator)
      const settled = { name: call.name, definition, arguments: args as JsonValue, result, ranMs }
      io.stdout.write(`${resultLine(settled, style)}\n`)
    },
    broken: (file, { line, problem }) => tellBroken(io, file, line, problem),
    end({ calls, failed, broken, ms }) {
      const parts = [`${calls} ${calls === 1 ? 'call' : 'calls'}`, `${calls - failed} ok`]
      if (failed > 0) parts.push(style.color.red(`${failed} failed`))
      if (broken > 0) parts.push(style.color.red(`${broken} broken ${broken === 1 ? 'line' : 'lines'}`))
      io.stdout.write(`${parts.join(', ')} in ${Math.round(ms)} ms\n`)
    },
  }
}

function tellBroken(io: CliIo, file: string, line: number, problem: string): void {
  io.stderr.write(`${printableLine(file)}:${line}: skipped: ${printableLine(problem)}\n`)
}
