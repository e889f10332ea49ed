import type { Clock } from '@dsh/tools/ports'
import type { CommandSpec, RunningCommand } from '../shell/start-command.ts'
import { startOrExplain } from '../shell/start-or-explain.ts'
import type { WholeOutput, WholeOutputEnd } from '../shell/whole-output.ts'
import { OutputLog, type OutputPage, type OutputStream } from './output-log.ts'

/** `killed`: it was told to end, or a signal ended it. `timed-out`: its deadline did. */
export type JobStatus = 'running' | 'exited' | 'killed' | 'timed-out'

/** What is known of a job without its output. */
export interface JobState {
  readonly status: JobStatus
  readonly exitCode?: number
  readonly signal?: string
}

interface JobEnd {
  readonly state: JobState
  readonly atMs: number
  readonly whole: WholeOutputEnd
}

/** What a job is made of. */
export interface JobParts {
  readonly id: string
  readonly command: string
  readonly description?: string
  readonly clock: Clock
  /** Bytes of output that stay readable. */
  readonly windowBytes: number
  /** Where the whole output goes, too. */
  readonly whole?: WholeOutput
}

/** A command in the background: its output, and how it ends. */
export class Job {
  readonly id: string
  readonly parts: JobParts
  readonly startedAtMs: number
  /** Settles when the command is gone and its output is kept, or when it could not be started. Never rejects. */
  readonly ended: Promise<void>
  readonly #log: OutputLog
  readonly #watchers = new Set<() => void>()
  #settle!: () => void
  #process: RunningCommand | undefined
  #told: 'killed' | 'timed-out' | undefined
  #end: JobEnd | undefined

  constructor(parts: JobParts) {
    this.id = parts.id
    this.parts = parts
    this.startedAtMs = parts.clock.now()
    this.#log = new OutputLog(parts.windowBytes)
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  get state(): JobState {
    return this.#end?.state ?? { status: 'running' }
  }

  /** Process id of the shell; undefined while it is being started. */
  get pid(): number | undefined {
    return this.#process?.pid
  }

  /** Somebody or something has told it to end. */
  get isTold(): boolean {
    return this.#told !== undefined
  }

  /** Bytes of its output. */
  get bytes(): number {
    return this.#log.bytes
  }

  /** How long it has run, or ran. */
  get runMs(): number {
    return Math.max(0, (this.#end?.atMs ?? this.parts.clock.now()) - this.startedAtMs)
  }

  /** The locator of the whole output, once the job has ended and there is a store, or why it is not kept. */
  get kept(): { readonly output?: string; readonly keepProblem?: string } {
    const { output, outputProblem = this.parts.whole?.problem } = this.#end?.whole ?? {}
    return { ...(output === undefined ? {} : { output }), ...(outputProblem === undefined ? {} : { keepProblem: outputProblem }) }
  }

  read(cursor: number, maxBytes: number): OutputPage {
    return this.#log.read(cursor, maxBytes)
  }

  /** Hear of new output and of the end. @returns what stops it. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  /**
   * Start the command. Settles when it runs.
   * @param timeoutMs - from now to its end; without one it has no deadline.
   * @throws ToolError as {@link startOrExplain}; then the job is over.
   */
  async start(spec: Omit<CommandSpec, 'onOutput'>, timeoutMs?: number): Promise<void> {
    try {
      this.#process = await startOrExplain({ ...spec, onOutput: (stream, chunk) => this.#take(stream, chunk) })
    } catch (error) {
      this.#finish({ status: 'killed' })
      throw error
    }
    if (this.#told) this.#process.kill() // while it was being started
    void this.#reap(this.#process, timeoutMs)
  }

  /** Tell it to end: TERM to its process group, and KILL after the grace. Idempotent; `ended` tells when it is gone. */
  kill(why: 'killed' | 'timed-out' = 'killed'): void {
    this.#told ??= why
    this.#process?.kill()
  }

  /** Every promise here settles without rejecting: nobody waits for this one. */
  async #reap(process: RunningCommand, timeoutMs: number | undefined): Promise<void> {
    const disarm = timeoutMs === undefined ? undefined : this.parts.clock.after(timeoutMs, () => this.kill('timed-out'))
    const { exitCode, signal } = await process.ended
    disarm?.()
    this.#log.end()
    const state: JobState = {
      status: this.#told ?? (signal === null ? 'exited' : 'killed'),
      ...(exitCode === null ? {} : { exitCode }),
      ...(signal === null ? {} : { signal }),
    }
    const whole = await this.parts.whole?.end(this.isTold) // a kill from now on comes too late to be how it ended
    this.#finish(state, whole)
  }

  #take(stream: OutputStream, chunk: Buffer): Promise<unknown> | undefined {
    this.#log.push(stream, chunk)
    const behind = this.parts.whole?.push(stream, chunk, true)
    this.#tell()
    return behind
  }

  #finish(state: JobState, whole: WholeOutputEnd = {}): void {
    this.#end = { state, atMs: this.parts.clock.now(), whole }
    this.#settle()
    this.#tell()
  }

  #tell(): void {
    for (const changed of [...this.#watchers]) changed()
  }
}
