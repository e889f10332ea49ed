import { type ToolRunContext, ToolTimeoutError } from '@dsh/tools'
import type { Clock, ResultStore } from '@dsh/tools/ports'
import type { BashValue } from './bash-value.ts'
import { KeptStream } from './kept-stream.ts'
import { lastLine, plainOutput, wholeNote } from './render-bash.ts'
import type { CommandEnd, CommandSpec, RunningCommand } from './start-command.ts'
import { startOrExplain } from './start-or-explain.ts'
import { WholeOutput, type WholeOutputEnd } from './whole-output.ts'

const PROGRESS_MS = 200
const PROGRESS_BYTES = 2_000
/** Of the output, in the message of a deadline. */
const LAST_CHARS = 2_000

/** A command that a call waits for. */
export interface ForegroundCommand extends Omit<CommandSpec, 'onOutput'> {
  readonly timeoutMs: number
  /** Kept of each stream. */
  readonly streamBytes: number
}

/** What a call needs of its host. */
export interface ForegroundPorts {
  readonly clock: Clock
  readonly results: ResultStore | undefined
}

/**
 * Run a command to its end. Settles when nothing of it runs any more, or says that something may.
 * @throws ToolTimeoutError at its deadline; the signal's reason when cancelled; ToolError as {@link startOrExplain}.
 */
export async function runForeground(command: ForegroundCommand, exec: ToolRunContext, ports: ForegroundPorts): Promise<BashValue> {
  exec.signal.throwIfAborted()
  const { clock, results } = ports
  const request = { callId: exec.callId, tool: exec.name, ...(exec.agent === undefined ? {} : { agent: exec.agent }) }
  const whole = results && new WholeOutput(() => results.keepText(request), clock)
  const streams = { stdout: new KeptStream(command.streamBytes), stderr: new KeptStream(command.streamBytes) }
  const progress = new Progress(clock, (line) => exec.progress(line))
  const startedMs = clock.now()
  const running = await startOrExplain({
    ...command,
    onOutput(stream, chunk) {
      streams[stream].push(chunk)
      progress.push(chunk)
      return whole?.push(stream, chunk, streams[stream].isCut)
    },
  })
  const { end, isTimedOut } = await waitFor(running, { clock, signal: exec.signal, timeoutMs: command.timeoutMs })
  progress.stop()
  if (exec.signal.aborted) await whole?.discard()
  exec.signal.throwIfAborted()
  const kept = (await whole?.end(isTimedOut, exec.signal)) ?? {}
  exec.signal.throwIfAborted()
  const value = toValue(streams, end, kept, Math.max(0, Math.round(clock.now() - startedMs)))
  if (isTimedOut) throw new ToolTimeoutError(timeoutMessage(command.timeoutMs, value))
  return value
}

async function waitFor(
  running: RunningCommand,
  { clock, signal, timeoutMs }: { readonly clock: Clock; readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<{ readonly end: CommandEnd; readonly isTimedOut: boolean }> {
  let isTimedOut = false
  const disarm = clock.after(timeoutMs, () => {
    isTimedOut = true
    running.kill()
  })
  const cancel = () => running.kill()
  if (signal.aborted)
    cancel() // while it was being started
  else signal.addEventListener('abort', cancel, { once: true })
  try {
    return { end: await running.ended, isTimedOut }
  } finally {
    disarm()
    signal.removeEventListener('abort', cancel)
  }
}

type Streams = Readonly<Record<'stdout' | 'stderr', KeptStream>>

function toValue({ stdout, stderr }: Streams, end: CommandEnd, kept: WholeOutputEnd, durationMs: number): BashValue {
  const out = stdout.toText()
  const err = stderr.toText()
  return {
    ...(end.exitCode === null ? {} : { exitCode: end.exitCode }),
    ...(end.signal === null ? {} : { signal: end.signal }),
    stdout: out.text,
    stderr: err.text,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
    ...(out.omitted === undefined ? {} : { stdoutOmitted: out.omitted }),
    ...(err.omitted === undefined ? {} : { stderrOmitted: err.omitted }),
    truncated: stdout.isCut || stderr.isCut,
    ...kept,
    durationMs,
    endedChildren: end.endedChildren,
    mayStillRun: end.mayStillRun,
  }
}

function timeoutMessage(timeoutMs: number, value: BashValue): string {
  const { stdout, stderr, mayStillRun } = value
  const said = plainOutput(`${stdout}\n${stderr}`).trim()
  const fate = mayStillRun ? 'Some process of it could not be ended and may still run.' : 'It was ended with all its processes.'
  const last = said === '' ? 'It had no output.' : `Its last output:\n${said.slice(-LAST_CHARS).toWellFormed()}`
  const whole = wholeNote(value)
  return `The command ran longer than its ${timeoutMs.toLocaleString('en-US')} ms. ${fate} It may have had effects. Give it a longer timeoutMs, or a smaller task. ${last}${whole === undefined ? '' : `\n[${whole}]`}`
}

/** Says the last line of the output every now and then. */
class Progress {
  readonly #clock: Clock
  readonly #report: (line: string) => void
  #newest: Buffer | undefined
  #disarm: (() => void) | undefined

  constructor(clock: Clock, report: (line: string) => void) {
    this.#clock = clock
    this.#report = report
  }

  push(chunk: Buffer): void {
    this.#newest = chunk.subarray(-PROGRESS_BYTES)
    this.#disarm ??= this.#clock.after(PROGRESS_MS, () => this.#say())
  }

  stop(): void {
    this.#disarm?.()
  }

  #say(): void {
    this.#disarm = undefined
    const line = lastLine(this.#newest?.toString() ?? '')
    if (line !== undefined) this.#report(line)
  }
}
