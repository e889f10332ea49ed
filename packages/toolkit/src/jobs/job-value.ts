import type { Job, JobStatus } from './job.ts'

/** What every value about a job says of it. */
export interface JobFacts {
  readonly job: string
  readonly status: JobStatus
  /** Of the shell, when it ended by itself. */
  readonly exitCode?: number
  /** The signal that ended the shell. */
  readonly signal?: string
}

/** The schema of {@link JobFacts}. */
export const factsSchema = {
  job: { type: 'string', required: true },
  status: {
    type: 'string',
    enum: ['running', 'exited', 'killed', 'timed-out'],
    required: true,
    description: 'killed: it was told to end, or a signal ended it. timed-out: its deadline did.',
  },
  exitCode: { type: 'integer', description: 'Of the shell, when it ended by itself.' },
  signal: { type: 'string', description: 'The signal that ended the shell.' },
} as const

/** What is known of a job now. */
export function factsOf(job: Job): JobFacts {
  return { job: job.id, ...job.state }
}

/** How a job stands, in words: `job-1 exited with code 0`. */
export function inWords({ job, status, exitCode, signal }: JobFacts): string {
  if (status === 'running') return `${job} is running`
  const how = exitCode === undefined ? (signal ?? 'no exit code') : `code ${exitCode}`
  if (status === 'exited') return `${job} exited with ${how}`
  return `${job} ${status === 'killed' ? 'was killed' : 'was ended at its deadline'} (${how})`
}
