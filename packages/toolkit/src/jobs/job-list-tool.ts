import { defineTool, type ToolDefinition } from '@dsh/tools'
import { count } from '../text/count.ts'
import { safeEnd } from '../text/cut.ts'
import type { JobTable } from './job-table.ts'
import { factsOf, factsSchema, inWords, type JobFacts } from './job-value.ts'

/** One job of the value of `job_list`. */
export interface ListedJob extends JobFacts {
  readonly command: string
  readonly description?: string
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number
  /** How long it has run, or ran. */
  readonly runMs: number
  /** Its whole output so far, in bytes. */
  readonly bytes: number
}

/** What `job_list` returns to a program: the agent's own jobs, oldest first. */
export interface JobListValue {
  readonly jobs: readonly ListedJob[]
}

const valueSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    jobs: {
      type: 'array',
      required: true,
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          ...factsSchema,
          command: { type: 'string', required: true },
          description: { type: 'string' },
          startedAtMs: { type: 'integer', required: true, description: 'Milliseconds since the epoch.' },
          runMs: { type: 'integer', required: true, description: 'How long it has run, or ran, in milliseconds.' },
          bytes: { type: 'integer', required: true, description: 'Its whole output so far.' },
        },
      },
    },
  },
} as const

const MAX_SHOWN_COMMAND = 120

/** The tool `job_list`: which background jobs there are, and how they stand. */
export function jobListTool(table: JobTable): ToolDefinition {
  return defineTool({
    name: 'job_list',
    description: 'List your background jobs, oldest first: those that run, and the last that ended.',
    parameters: {},
    output: { schema: valueSchema, render: (_args, { jobs }) => [{ type: 'text', text: renderJobs(jobs) }] },
    effects: 'none',
    isConcurrencySafe: () => true,
    execute: async (_args, exec): Promise<JobListValue> => ({
      jobs: table.of(exec.agent).all.map((job) => ({
        ...factsOf(job),
        command: job.parts.command,
        ...(job.parts.description === undefined ? {} : { description: job.parts.description }),
        startedAtMs: job.startedAtMs,
        runMs: job.runMs,
        bytes: job.bytes,
      })),
    }),
    presentCall: () => ({ card: 'generic', kind: 'other', title: 'background jobs' }),
  })
}

function renderJobs(jobs: readonly ListedJob[]): string {
  if (jobs.length === 0) return 'There are no background jobs.'
  return jobs.map((job) => `${inWords(job)}, ${Math.round(job.runMs / 1_000)} s, ${count(job.bytes, 'byte')}: ${shown(job)}`).join('\n')
}

/** What it is, in one line: the description, or the command. */
function shown({ command, description = command }: ListedJob): string {
  const line = JSON.stringify(description).slice(1, -1)
  return line.length <= MAX_SHOWN_COMMAND ? line : `${line.slice(0, safeEnd(line, MAX_SHOWN_COMMAND))}…`
}
