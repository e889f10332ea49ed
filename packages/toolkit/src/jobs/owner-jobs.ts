import { ToolError } from '@dsh/tools'
import type { Clock, JobRequest, JobsService, ResultStore } from '@dsh/tools/ports'
import { WholeOutput } from '../shell/whole-output.ts'
import { count } from '../text/count.ts'
import { Job } from './job.ts'

/** Of an id that is none, in the message that says so. */
const MAX_ID_CHARS = 80

/** What bounds the jobs of one owner. */
export interface JobLimits {
  /** Jobs that run at the same time. */
  readonly maxJobs: number
  /** Jobs that are over and can still be read. */
  readonly keptJobs: number
  /** Bytes of output that stay readable, a job. */
  readonly jobWindowBytes: number
  /** From TERM to KILL, in milliseconds. */
  readonly killGraceMs: number
}

/** The call that begins a job. */
export type JobCall = Parameters<JobsService['start']>[1]

/** What jobs need of their host, as it is when one is begun. */
export interface JobPorts {
  readonly clock: Clock
  readonly results: ResultStore | undefined
}

/** The jobs of one owner, which sees no others. */
export class OwnerJobs {
  readonly #limits: JobLimits
  readonly #jobs = new Map<string, Job>()
  #count = 0
  #isClosed = false

  constructor(limits: JobLimits) {
    this.#limits = limits
  }

  /** Oldest first. */
  get all(): readonly Job[] {
    return [...this.#jobs.values()]
  }

  get isBusy(): boolean {
    return this.#running().length > 0
  }

  /** @throws ToolError JOB_NOT_FOUND, naming the jobs there are. */
  find(id: string): Job {
    const job = this.#jobs.get(id)
    if (job) return job
    const known = this.all.map((each) => each.id)
    const there = known.length === 0 ? 'There are none.' : `There are ${known.join(', ')}.`
    throw new ToolError(
      `There is no job ${JSON.stringify(id.slice(0, MAX_ID_CHARS))}. ${there} Jobs end with the process that runs them.`,
      {
        code: 'JOB_NOT_FOUND',
      },
    )
  }

  /**
   * Start a command. Settles when it runs; from then on it belongs to the owner, and the call may end.
   * @throws ToolError TOO_MANY_JOBS; the signal's reason when the call is cancelled before the command runs, and then nothing is left of it.
   */
  async start(request: JobRequest, call: JobCall, ports: JobPorts): Promise<Job> {
    call.signal.throwIfAborted()
    this.#assertRoom()
    const { timeoutMs, command, cwd, env } = request
    const job = this.#add(request, call, ports) // before anything is waited for: it counts from now on, and is ended with the others
    const cancelled = () => job.kill()
    call.signal.addEventListener('abort', cancelled, { once: true })
    try {
      await job.start({ command, cwd, env, killGraceMs: this.#limits.killGraceMs }, timeoutMs)
      if (job.isTold) await job.ended
    } catch (error) {
      this.#jobs.delete(job.id)
      throw error
    } finally {
      call.signal.removeEventListener('abort', cancelled)
    }
    if (!call.signal.aborted) return job
    this.#jobs.delete(job.id)
    throw call.signal.reason
  }

  /** End all that runs. Settles when it is gone. */
  async stop(): Promise<void> {
    const running = this.#running()
    for (const job of running) job.kill()
    await Promise.all(running.map((job) => job.ended))
  }

  /** Stop, and take no more. */
  close(): Promise<void> {
    this.#isClosed = true
    return this.stop()
  }

  #add({ command, description }: JobRequest, { signal: _, ...owner }: JobCall, { clock, results }: JobPorts): Job {
    const job = new Job({
      id: `job-${++this.#count}`,
      command,
      clock,
      windowBytes: this.#limits.jobWindowBytes,
      ...(description === undefined ? {} : { description }),
      ...(results === undefined ? {} : { whole: new WholeOutput(() => results.keepText(owner), clock) }),
    })
    this.#jobs.set(job.id, job)
    void job.ended.then(() => this.#forgetOldest())
    return job
  }

  #running(): Job[] {
    return this.all.filter((job) => job.state.status === 'running')
  }

  #assertRoom(): void {
    if (this.#isClosed) throw new ToolError('Whom this job would belong to is gone, so it was not started.', { code: 'JOBS_CLOSED' })
    const running = this.#running()
    if (running.length < this.#limits.maxJobs) return
    const ids = running.map((job) => job.id).join(', ')
    throw new ToolError(
      `${count(running.length, 'job')} run already, which is the most: ${ids}. End one with job_kill, or wait for one with job_output, and try again.`,
      { code: 'TOO_MANY_JOBS' },
    )
  }

  #forgetOldest(): void {
    const over = this.all.filter((job) => job.state.status !== 'running')
    for (const job of over.slice(0, Math.max(0, over.length - this.#limits.keptJobs))) this.#jobs.delete(job.id)
  }
}
