import { defineTool, type ToolDefinition } from '@dsh/tools'
import type { JobTable } from './job-table.ts'
import { factsOf, factsSchema, inWords, type JobFacts } from './job-value.ts'

/** What `job_kill` returns to a program. */
export interface JobKillValue extends JobFacts {
  /** It had ended before, so nothing was done. */
  readonly hadEnded: boolean
}

/** The tool `job_kill`: ends a job and all that it started. */
export function jobKillTool(table: JobTable): ToolDefinition {
  return defineTool({
    name: 'job_kill',
    description:
      'End a background job and everything it started: TERM, and KILL for what is still there a few seconds later. Answers when it is gone. A job that has ended already is left as it is.',
    parameters: { job: { type: 'string', description: 'The job, such as "job-1".', required: true } },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          ...factsSchema,
          hadEnded: { type: 'boolean', required: true, description: 'It had ended before, so nothing was done.' },
        },
      },
      render: (_args, { hadEnded, ...facts }) => [
        { type: 'text', text: `${inWords(facts)}${hadEnded ? ' before, so there was nothing to end' : ''}.` },
      ],
    },
    effects: 'idempotent',
    isConcurrencySafe: () => true, // else it would wait for those who wait for the job
    async execute(args, exec): Promise<JobKillValue> {
      const job = table.of(exec.agent).find(args.job)
      const hadEnded = job.state.status !== 'running'
      job.kill()
      await job.ended // also when the call is cancelled: what it began ends soon
      return { ...factsOf(job), hadEnded }
    },
    presentCall: ({ job }) => ({ card: 'generic', kind: 'execute', title: `end ${job}` }),
  })
}
