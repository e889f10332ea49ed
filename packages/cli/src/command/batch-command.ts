import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ToolBatchLog } from '@dsh/tools'
import { type BatchLine, parseBatch } from '../batch/batch-lines.ts'
import { runBatch } from '../batch/run-batch.ts'
import { type CliIo, readAll } from '../cli-io.ts'
import type { Workspace } from '../host/workspace.ts'
import { resumeBatch } from '../session/resume-batch.ts'
import { withSession } from '../session/with-session.ts'
import { printableLine } from '../text/printable.ts'
import { systemReason, UsageError } from '../usage-error.ts'
import { humanPrinter, jsonPrinter } from './batch-printer.ts'

/** Options of `dsh batch`. */
export interface BatchOptions {
  readonly json?: boolean
  readonly maxParallel?: number
  /** Log it as the next turn of this session. */
  readonly session?: string
}

/** `dsh batch FILE`: run the calls of a file of JSON Lines. @returns the exit code. @throws UsageError when the file cannot be read. */
export async function batchCommand(io: CliIo, workspace: Workspace, file: string, options: BatchOptions): Promise<number> {
  const lines = parseBatch(await readBatch(io, file))
  const shownAs = file === '-' ? 'standard input' : printableLine(file)
  const run = (log?: ToolBatchLog) => runLines(io, workspace, lines, { ...options, shownAs, ...(log && { log }) })
  if (lines.length === 0) io.stderr.write(`${shownAs} holds no calls.\n`)
  if (options.session === undefined) return run()
  return withSession(io, workspace.root, options.session, async (session) => {
    workspace.operator.session = session
    if (await resumeBatch(io, workspace, session)) {
      io.stderr.write('Nothing else was begun.\n')
      return 130
    }
    const before = session.events.length
    const code = await run({ turn: session.lastTurn + 1, step: 1 })
    if (session.events.length === before && lines.some((line) => 'call' in line)) io.stderr.write(NOTHING_LOGGED)
    return code
  })
}

const NOTHING_LOGGED = 'dsh: warning: nothing was logged: the executor that a plugin selected keeps no log.\n'

interface LinesOptions extends BatchOptions {
  readonly shownAs: string
  readonly log?: ToolBatchLog
}

async function runLines(io: CliIo, workspace: Workspace, lines: readonly BatchLine[], options: LinesOptions): Promise<number> {
  const { shownAs, json, maxParallel, log } = options
  const printer = json ? jsonPrinter(io) : humanPrinter(io, workspace)
  const calls = lines.flatMap((line) => ('call' in line ? [line.call] : []))
  const broken = lines.length - calls.length
  let next = 0
  // Broken lines are told in their place, between the results of their neighbours.
  const tellBroken = () => {
    for (let line = lines[next]; line && 'problem' in line; line = lines[++next]) printer.broken(shownAs, line)
  }
  tellBroken()
  const started = performance.now()
  const { failed, interrupted } = await runBatch(io, workspace, calls, {
    ...(maxParallel !== undefined && { maxParallel }),
    ...(log && { log }),
    onCommitted(committed) {
      next++
      printer.committed(committed)
      tellBroken()
    },
  })
  if (lines.length > 0) printer.end({ calls: calls.length, failed, broken, ms: performance.now() - started })
  if (interrupted) return 130
  return failed + broken > 0 ? 1 : 0
}

async function readBatch(io: CliIo, file: string): Promise<Buffer> {
  if (file === '-') {
    if (io.stdin.isTTY) io.stderr.write('Reading calls from the terminal, one a line; Ctrl-D ends them.\n')
    return readAll(io.stdin)
  }
  try {
    return await readFile(resolve(io.cwd, file))
  } catch (error) {
    throw new UsageError(`${file}: ${systemReason(error)}. Name a file of JSON Lines, or - for standard input.`, { cause: error })
  }
}
