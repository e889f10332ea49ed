import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { ProcessGroup, until } from './process-group.ts'
import { Watchdog } from './watchdog.ts'

const KILL_GRACE_MS = 3_000
const QUIET_MS = 150
/** However much children that outlive their shell have to say. */
const DRAIN_BOUND_MS = 2_000
/** From the end of all processes to the end of their pipes. */
const PIPE_BOUND_MS = 500
/** Names the commands a process belongs to, outermost first: a host that is itself run by a command passes its own on. */
const MARK = 'DSH_COMMAND'

/** A command line for the shell, and what becomes of its output. */
export interface CommandSpec {
  readonly command: string
  readonly cwd: string
  /** All of its environment, but for `DSH_COMMAND`, which is added. */
  readonly env: Readonly<Record<string, string>>
  /** From TERM to KILL; 3,000 by default. */
  readonly killGraceMs?: number
  /** Children that outlive their shell may still say something: until they are silent for so long; 150 by default. */
  readonly quietMs?: number
  /** Takes output as it comes. While a promise it gave is pending, no more is read: the command waits. It must not throw or reject. */
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void | Promise<unknown>
}

/** How a command ended. */
export interface CommandEnd {
  /** Of the shell; null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
  /** The shell had ended and left processes behind, which were ended, too. */
  readonly endedChildren: boolean
  /** Something of it could not be ended, or keeps its output open where it cannot be seen. */
  readonly mayStillRun: boolean
}

/** A command that runs. */
export interface RunningCommand {
  /** Of the shell, which leads a process group of its own. */
  readonly pid: number
  /** Settles when the shell is gone, its group is gone and its pipes are closed, or given up. Never rejects. */
  readonly ended: Promise<CommandEnd>
  /** TERM to the whole group, KILL after the grace. Idempotent. */
  kill(): void
}

/**
 * Start a command line in a shell (bash, or else sh) with a process group of its own and without input. What it leaves behind ends with
 * it, and all of it ends with this process, however that ends. Settles when it runs.
 * @throws the system's error when the shell cannot be started.
 */
export async function startCommand(spec: CommandSpec): Promise<RunningCommand> {
  const mark = randomUUID()
  const watchdog = new Watchdog(mark)
  try {
    const child = spawnShell(spec, mark)
    if (child.pid !== undefined) watchdog.guard(child.pid)
    const output = new Output(child, spec)
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    return new Running(child, output, { mark, watchdog, graceMs: spec.killGraceMs ?? KILL_GRACE_MS })
  } catch (error) {
    watchdog.callOff()
    throw error
  }
}

function spawnShell({ command, cwd, env }: CommandSpec, mark: string): Shell {
  const { BASH_ENV: _, ...rest } = env // bash would run that file first
  return spawn(findShell(), ['-c', command], {
    cwd,
    env: { ...rest, [MARK]: [process.env[MARK], mark].filter(Boolean).join(' ') },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

let shell: string | undefined

function findShell(): string {
  shell ??= ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path)) ?? '/bin/sh'
  return shell
}

type Shell = ChildProcessByStdio<null, Readable, Readable>

/** What comes from the two pipes of a command. */
class Output {
  readonly #pipes: readonly Readable[]
  readonly #quietMs: number
  #pending = 0
  #isHurried = false
  #lastMs = performance.now()

  constructor(child: Shell, { onOutput, quietMs = QUIET_MS }: Pick<CommandSpec, 'onOutput' | 'quietMs'>) {
    this.#pipes = [child.stdout, child.stderr]
    this.#quietMs = quietMs
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].on('error', () => undefined) // a broken pipe closes, and close is what is waited for
      child[stream].on('data', (chunk: Buffer) => {
        this.#lastMs = performance.now()
        const pending = onOutput(stream, chunk)
        if (pending !== undefined) void this.#waitFor(pending)
      })
    }
  }

  /** The silence counts from now on. */
  listen(): void {
    this.#lastMs = performance.now()
  }

  /** Nothing came for a while, and nobody holds it up. */
  get isQuiet(): boolean {
    return this.#pending === 0 && performance.now() - this.#lastMs >= this.#quietMs
  }

  /** Read on, whoever is not ready for it: the command has to end. */
  hurry(): void {
    this.#isHurried = true
    for (const pipe of this.#pipes) pipe.resume()
  }

  /** Let go of pipes that somebody else keeps open. */
  drop(): void {
    for (const pipe of this.#pipes) pipe.destroy()
  }

  async #waitFor(pending: Promise<unknown>): Promise<void> {
    this.#pending++
    if (!this.#isHurried) for (const pipe of this.#pipes) pipe.pause()
    await pending
    this.#pending--
    this.#lastMs = performance.now()
    if (this.#pending === 0) for (const pipe of this.#pipes) pipe.resume()
  }
}

/** How a command will be ended. */
interface Ending {
  readonly mark: string
  readonly watchdog: Watchdog
  readonly graceMs: number
}

/** A shell on its way to its end. */
class Running implements RunningCommand {
  readonly pid: number
  readonly ended: Promise<CommandEnd>
  readonly #output: Output
  readonly #group: ProcessGroup
  readonly #watchdog: Watchdog
  readonly #graceMs: number
  #exit: Pick<CommandEnd, 'exitCode' | 'signal'> = { exitCode: null, signal: null }
  #isClosed = false
  #ending: Promise<boolean> | undefined
  #wake!: () => void

  constructor(child: Shell, output: Output, { mark, watchdog, graceMs }: Ending) {
    this.pid = child.pid as number
    this.#output = output
    this.#group = new ProcessGroup(this.pid, mark)
    this.#watchdog = watchdog
    this.#graceMs = graceMs
    const exitedOrTold = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    child.once('exit', (exitCode, signal) => {
      this.#exit = { exitCode, signal }
      this.#output.listen()
      this.#wake()
    })
    child.once('close', () => {
      this.#isClosed = true
    })
    this.ended = this.#toEnd(exitedOrTold)
  }

  kill(): void {
    void this.#end()
  }

  async #toEnd(exitedOrTold: Promise<void>): Promise<CommandEnd> {
    await exitedOrTold
    await until(() => this.#isClosed || this.#ending !== undefined || this.#output.isQuiet, DRAIN_BOUND_MS)
    const endedChildren = this.#ending === undefined && !this.#group.isGone
    const isGone = endedChildren || this.#ending !== undefined ? await this.#end() : true
    this.#output.hurry()
    const isClosed = await until(() => this.#isClosed, PIPE_BOUND_MS)
    if (!isClosed) this.#output.drop()
    this.#group.release()
    this.#watchdog.callOff()
    return { ...this.#exit, endedChildren, mayStillRun: !isGone || !isClosed }
  }

  /** @returns whether all its processes are gone. */
  #end(): Promise<boolean> {
    this.#ending ??= this.#group.end(this.#graceMs)
    this.#output.hurry()
    this.#wake()
    return this.#ending
  }
}
