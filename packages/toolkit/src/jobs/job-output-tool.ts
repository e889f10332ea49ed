import { defineTool, type ToolDefinition, ToolError } from '@dsh/tools'
import type { TerminalResultView } from '@dsh/tools/presentation'
import { plainOutput } from '../shell/render-bash.ts'
import { count } from '../text/count.ts'
import { safeEnd } from '../text/cut.ts'
import type { Job } from './job.ts'
import type { JobTable } from './job-table.ts'
import { factsOf, factsSchema, inWords, type JobFacts } from './job-value.ts'
import { waitForJob } from './wait-for-job.ts'

const MAX_WAIT_MS = 600_000
/** What a deadline leaves beyond the longest wait. */
const SLACK_MS = 10_000
/** A card is a glance, and is logged beside the content: the end of the text is enough. */
const MAX_CARD_CHARS = 8_000

/** What `job_output` returns to a program. Numbers of places and sizes are bytes of UTF-8. */
export interface JobOutputValue extends JobFacts {
  /** Standard output and standard error, in the order of their arrival. */
  readonly text: string
  /** Where the text begins in the whole output. */
  readonly cursor: number
  /** Where to read on. */
  readonly nextCursor: number
  /** Before the text: asked for, and too old to be here. */
  readonly skippedBytes: number
  /** There is more output already. */
  readonly more: boolean
  /** The whole output so far. */
  readonly totalBytes: number
  /** Locator of the whole output, once the job has ended. */
  readonly output?: string
  /** Why the whole output is not kept, when it should be. */
  readonly keepProblem?: string
}

const valueSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...factsSchema,
    text: { type: 'string', required: true, description: 'Standard output and standard error, in the order of their arrival.' },
    cursor: { type: 'integer', required: true, description: 'Byte of the whole output at which the text begins.' },
    nextCursor: { type: 'integer', required: true, description: 'Where to read on.' },
    skippedBytes: { type: 'integer', required: true, description: 'Before the text: asked for, and too old to be here.' },
    more: { type: 'boolean', required: true, description: 'There is more output already.' },
    totalBytes: { type: 'integer', required: true, description: 'Bytes of the whole output so far.' },
    output: { type: 'string', description: 'Locator of the whole output, once the job has ended.' },
    keepProblem: { type: 'string', description: 'Why the whole output is not kept, when it should be.' },
  },
} as const

/** The tool `job_output`: a piece of a job's output, now or when there is some. @param maxBytes - of one piece. */
export function jobOutputTool(table: JobTable, maxBytes: number): ToolDefinition {
  return defineTool({
    name: 'job_output',
    description: `Read the output of a background job from a cursor on, at most ${maxBytes} bytes at once, and say how the job stands. To follow it, call again with nextCursor, and with waitMs instead of calling often: it answers as soon as there is something.`,
    parameters: {
      job: { type: 'string', description: 'The job, such as "job-1".', required: true },
      cursor: {
        type: 'integer',
        description: 'Byte to read from: 0 is the beginning and the default, nextCursor reads on, -2000 shows the last 2,000 bytes.',
      },
      waitMs: { type: 'integer', description: `Wait so long for what until says, in milliseconds, at most ${MAX_WAIT_MS}. Default 0.` },
      until: {
        type: 'string',
        enum: ['output', 'exit'],
        description: 'What ends the wait: output after the cursor (or the end of the job), or its end alone. Default output.',
      },
      limit: { type: 'integer', description: `Bytes to show, at most ${maxBytes}, which is also the default.` },
    },
    output: {
      schema: valueSchema,
      render: (_args, value) => [{ type: 'text', text: renderOutput(value) }],
      presentationMeta: (_args, { job, status, exitCode, signal, text }) => ({
        title: inWords({ job, status, ...(exitCode === undefined ? {} : { exitCode }), ...(signal === undefined ? {} : { signal }) }),
        output: text.slice(safeEnd(text, Math.max(0, text.length - MAX_CARD_CHARS))),
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(signal === undefined ? {} : { signal }),
      }),
    },
    effects: 'none',
    timeoutMs: MAX_WAIT_MS + SLACK_MS,
    isConcurrencySafe: () => true,
    async execute(args, exec): Promise<JobOutputValue> {
      const limit = Math.min(inRange('limit', args.limit ?? maxBytes, 1), maxBytes)
      const ms = Math.min(inRange('waitMs', args.waitMs ?? 0, 0), MAX_WAIT_MS)
      const job = table.of(exec.agent).find(args.job)
      const asked = args.cursor ?? 0
      const { cursor, skippedBytes } = job.read(asked, limit)
      const isOver = () => job.state.status !== 'running'
      const isReached = args.until === 'exit' ? isOver : () => isOver() || job.bytes > cursor
      await waitForJob(job, isReached, { ms, clock: table.clock, signal: exec.signal })
      return pageOf(job, { cursor: asked < 0 ? asked : cursor - skippedBytes, limit }) // the end, as it is by now
    },
    presentCall: ({ job, cursor, waitMs }) => ({
      card: 'terminal',
      title: `output of ${job}${cursor === undefined ? '' : ` from ${cursor}`}`,
      ...(waitMs === undefined ? {} : { description: `waits up to ${count(waitMs, 'ms', 'ms')}` }),
    }),
    presentResult(_args, result): TerminalResultView | undefined {
      if (result.isError || result.meta === undefined) return undefined
      return { card: 'terminal', ...(result.meta as unknown as Omit<TerminalResultView, 'card'>) }
    },
  })
}

/** Read anew: while the call waited, what it asked for may have become too old. */
function pageOf(job: Job, { cursor, limit }: { readonly cursor: number; readonly limit: number }): JobOutputValue {
  const page = job.read(cursor, limit)
  return {
    ...factsOf(job),
    ...page,
    more: page.nextCursor < job.bytes,
    totalBytes: job.bytes,
    ...job.kept,
  }
}

function renderOutput(value: JobOutputValue): string {
  const { text, skippedBytes, nextCursor, totalBytes, more, status, output, keepProblem } = value
  const lines: string[] = []
  if (skippedBytes > 0) lines.push(`[${count(skippedBytes, 'byte')} before this are too old to be here]`)
  if (text !== '') lines.push(plainOutput(text).trimEnd())
  const rest = more ? `${count(totalBytes - nextCursor, 'byte')} more: read on with cursor ${nextCursor}` : `cursor ${nextCursor} reads on`
  const end = status === 'running' || more ? rest : `all ${count(totalBytes, 'byte')} of its output have been read`
  lines.push(`[${inWords(value)}; ${text === '' ? 'no output here; ' : ''}${end}]`)
  if (output !== undefined) lines.push(`[The whole output is kept: read_result takes ${output}]`)
  if (keepProblem !== undefined) lines.push(`[The whole output is not kept: ${keepProblem}]`)
  return lines.join('\n')
}

function inRange(name: string, value: number, least: number): number {
  if (value >= least) return value
  throw new ToolError(`${name} is ${value}. Send ${name} as ${least} or more.`, { code: 'INVALID_RANGE' })
}
