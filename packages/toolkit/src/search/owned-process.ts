import { type ChildProcess, spawn } from 'node:child_process'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const STDERR_BYTES = 8_192
const KILL_GRACE_MS = 2_000

/** A command, and what becomes of its output. */
export interface OwnedCommand {
  readonly command: string
  /** Passed as they are: there is no shell. */
  readonly args: readonly string[]
  readonly cwd: string
  readonly signal: AbortSignal
  /** Standard input; there is none by default. When reading it fails, the process is ended. */
  readonly input?: AsyncIterable<Uint8Array>
  /** Takes standard output as it comes. When it throws, the process is ended. */
  onStdout(chunk: Buffer): void
  /** From TERM to KILL; 2,000 by default. */
  readonly killGraceMs?: number
}

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null
  readonly killedBy: NodeJS.Signals | null
  /** The first 8 KiB. */
  readonly stderr: string
}

/**
 * Run a command to its end. Settles only after the process is gone and its pipes are closed, however it ends.
 * @throws the signal's reason when cancelled; what `onStdout` or `input` threw; the system's error when it cannot be started.
 */
export async function runOwned(command: OwnedCommand): Promise<ProcessEnd> {
  command.signal.throwIfAborted()
  const child = spawn(command.command, command.args, { cwd: command.cwd, stdio: [command.input ? 'pipe' : 'ignore', 'pipe', 'pipe'] })
  const ender = createEnder(child, command.killGraceMs ?? KILL_GRACE_MS)
  command.signal.addEventListener('abort', ender.end, { once: true })
  try {
    const failures: unknown[] = []
    const stderr: Buffer[] = []
    child.stderr?.on('data', keepHead(stderr, STDERR_BYTES))
    child.stdout?.on('data', (chunk: Buffer) => {
      if (command.signal.aborted || failures.length > 0) return // on its way out: drain and drop
      try {
        command.onStdout(chunk)
      } catch (error) {
        failures.push(error)
        ender.end()
      }
    })
    const fed = feed(child.stdin, command.input).catch((error: unknown) => {
      failures.push(error)
      ender.end()
    })
    const [code, killedBy] = await closed(child).finally(() => fed)
    command.signal.throwIfAborted()
    if (failures.length > 0) throw failures[0]
    return { code, killedBy, stderr: Buffer.concat(stderr).toString() }
  } finally {
    command.signal.removeEventListener('abort', ender.end)
    ender.dispose()
  }
}

async function feed(stdin: Writable | null, input: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  if (stdin === null || input === undefined) return
  try {
    await pipeline(Readable.from(input, { objectMode: false }), stdin)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const goneReader = code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (!goneReader) throw error // a process may end before it has read everything: its exit code says whether that is a fault
  }
}

/** TERM now and KILL after a grace, until disposed. */
function createEnder(child: ChildProcess, graceMs: number): { end(): void; dispose(): void } {
  let timer: NodeJS.Timeout | undefined
  return {
    end() {
      if (timer !== undefined) return
      timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
      child.kill('SIGTERM')
    },
    dispose: () => clearTimeout(timer),
  }
}

function closed(child: ChildProcess): Promise<[code: number | null, killedBy: NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      if (child.pid === undefined) reject(error) // it never ran; a running one still reports its close
    })
    child.once('close', (code, killedBy) => resolve([code, killedBy]))
  })
}

function keepHead(chunks: Buffer[], maxBytes: number): (chunk: Buffer) => void {
  let room = maxBytes
  return (chunk) => {
    if (room === 0) return
    const head = chunk.subarray(0, room)
    room -= head.length
    chunks.push(head)
  }
}
