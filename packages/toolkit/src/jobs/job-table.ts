import type { Agent, Host } from '@dsh/tools'
import type { Clock, JobRequest, JobsService } from '@dsh/tools/ports'
import type { Job } from './job.ts'
import { type JobCall, type JobLimits, OwnerJobs } from './owner-jobs.ts'

/** The jobs of all owners: agents, and the table itself for calls that no agent makes. They end with their owner, or with the table. */
export class JobTable implements JobsService {
  readonly #host: Pick<Host, 'get'>
  readonly #limits: JobLimits
  readonly #byOwner = new WeakMap<object, OwnerJobs>()
  /** Owners with jobs that run: those have to be ended with the table. */
  readonly #busy = new Set<OwnerJobs>()
  #isClosed = false

  /** @param host - where clock and store are looked up whenever a job is begun. */
  constructor(host: Pick<Host, 'get'>, limits: JobLimits) {
    this.#host = host
    this.#limits = limits
  }

  /** The clock of the host, which inject promises. */
  get clock(): Clock {
    return this.#host.get('clock') as Clock
  }

  /** The jobs of an agent, or, without one, those that no agent began. */
  of(owner: object = this): OwnerJobs {
    const known = this.#byOwner.get(owner)
    if (known) return known
    const jobs = new OwnerJobs(this.#limits)
    this.#byOwner.set(owner, jobs)
    return jobs
  }

  /** Start a command for the owner of a call. Settles and throws as {@link OwnerJobs.start}. */
  async start(request: JobRequest, call: JobCall): Promise<Job> {
    const jobs = this.of(call.agent)
    if (this.#isClosed) await jobs.close()
    this.#busy.add(jobs)
    try {
      const job = await jobs.start(request, call, { clock: this.clock, results: this.#host.get('results') })
      void job.ended.then(() => this.#rest(jobs))
      return job
    } catch (error) {
      this.#rest(jobs)
      throw error
    }
  }

  stop(agent?: Agent): Promise<void> {
    return this.of(agent).stop()
  }

  /** An owner is gone: end its jobs, and start no more for it. Settles when they are gone. */
  leave(owner: object): Promise<void> {
    return this.of(owner).close()
  }

  /** End all jobs, and start no more. Settles when they are gone. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#busy].map((jobs) => jobs.close()))
  }

  #rest(jobs: OwnerJobs): void {
    if (!jobs.isBusy) this.#busy.delete(jobs)
  }
}
