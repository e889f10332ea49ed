import { ToolError, type ToolRunContext } from '@dsh/tools'
import type { JobRequest, JobsService } from '@dsh/tools/ports'
import { type BashValue, bashSchema } from './bash-value.ts'

/** What `bash` returns to a program for a command that goes on in the background. */
export interface BackgroundValue {
  /** By which `job_output` and `job_kill` name it. */
  readonly job: string
  /** Process id of the shell. */
  readonly pid?: number
  readonly status: 'running'
}

/** The parameter of a `bash` that has a background. */
export const backgroundParameter = {
  background: {
    type: 'boolean',
    description:
      'Leave it running and answer at once with a job: job_output reads its output, job_kill ends it. For servers and long work. It has no deadline but a timeoutMs. Default false.',
  },
} as const

/** The schema of a value of either kind. */
export const eitherSchema = {
  oneOf: [
    bashSchema,
    {
      type: 'object',
      additionalProperties: false,
      properties: {
        job: { type: 'string', required: true, description: 'By which job_output and job_kill name it.' },
        pid: { type: 'integer', description: 'Process id of the shell.' },
        status: { type: 'string', const: 'running', required: true },
      },
    },
  ],
} as const

/** Whether a value is of a command in the background. */
export function isInBackground(value: BashValue | BackgroundValue): value is BackgroundValue {
  return 'job' in value
}

/** What a model reads of a command in the background. */
export function renderBackground({ job, pid }: BackgroundValue): string {
  const process = pid === undefined ? '' : ` (process ${pid})`
  return `[${job} runs in the background${process}: job_output reads its output, job_kill ends it]`
}

/** A command of a call that is to run in the background. */
export interface BackgroundCommand extends Omit<JobRequest, 'description' | 'timeoutMs'> {
  readonly description: string | undefined
  readonly timeoutMs: number | undefined
}

/** Begin a command in the background. @throws ToolError JOBS_CLOSED where there is none any more, and as `start` of the port. */
export async function runInBackground(
  { description, timeoutMs, ...place }: BackgroundCommand,
  exec: ToolRunContext,
  jobs: JobsService | undefined,
): Promise<BackgroundValue> {
  if (jobs === undefined) {
    throw new ToolError('Nothing can run in the background here any more. Run the command without background.', { code: 'JOBS_CLOSED' })
  }
  const { callId, name, agent, signal } = exec
  const request = { ...place, ...(description === undefined ? {} : { description }), ...(timeoutMs === undefined ? {} : { timeoutMs }) }
  const { id, pid } = await jobs.start(request, { callId, tool: name, signal, ...(agent === undefined ? {} : { agent }) })
  return { job: id, ...(pid === undefined ? {} : { pid }), status: 'running' }
}
