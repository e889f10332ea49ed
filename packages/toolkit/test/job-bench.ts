import { tmpdir } from 'node:os'
import { type Agent, createRuntime, type Scope, type ToolExecutionResult, toToolCallId } from '@dsh/tools'
import type { JobRequest, TextKeeper } from '@dsh/tools/ports'
import { createFakeClock, type FakeClock } from '@dsh/tools/testing'
import { onTestFinished } from 'vitest'
import type { Job } from '../src/jobs/job.ts'
import type { JobOutputValue } from '../src/jobs/job-output-tool.ts'
import type { JobTable } from '../src/jobs/job-table.ts'
import { type JobToolsLimits, jobTools } from '../src/jobs/job-tools.ts'

const [callId, tool] = [toToolCallId('c'), 'bash']

export interface Bench {
  readonly runtime: Scope
  readonly clock: FakeClock
  readonly table: JobTable
  start(command: string, options?: Partial<JobRequest> & { agent?: Agent; signal?: AbortSignal }): Promise<Job>
  output(job: string, args?: object, options?: { agent?: Agent; signal?: AbortSignal }): Promise<JobOutputValue>
}

/** A runtime with the tools of jobs; all jobs are gone when the test is over. */
export async function bench(limits: JobToolsLimits = {}, before: (runtime: Scope) => void = () => undefined): Promise<Bench> {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock })
  before(runtime)
  await runtime.plugin(jobTools, { limits: { killGraceMs: 200, ...limits } })
  const table = runtime.get('jobs') as JobTable
  onTestFinished(() => table.close())
  return {
    runtime,
    clock,
    table,
    start(command, { agent, signal = new AbortController().signal, ...request } = {}) {
      const spec = { command, cwd: tmpdir(), env: { PATH: process.env['PATH'] ?? '' }, ...request }
      return table.start(spec, { callId, tool, signal, ...(agent && { agent }) })
    },
    async output(job, args = {}, options = {}) {
      return valueIn<JobOutputValue>(await runtime.call('job_output', { job, ...args }, options))
    },
  }
}

/** The value of a call that has to succeed. */
export function valueIn<V>(result: ToolExecutionResult): V {
  if (result.isError) throw new Error(result.error.message)
  return result.value as V
}

/** Settles when the output of a job fits. */
export function shows(job: Job, pattern: RegExp): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!pattern.test(job.read(0, 1_000_000).text)) return
      unwatch()
      resolve()
    }
    const unwatch = job.watch(look)
    look()
  })
}

/** Let everything run that is ready. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

/** A store that can only keep texts. */
export function provideStore(runtime: Scope, keepText: () => Promise<TextKeeper>): void {
  const none = () => Promise.reject(new Error('not part of this test'))
  runtime.provide('results', { keepText, keep: none, open: none, fetch: none })
}

/** Move time on until something is over. @returns how much had to pass. */
export async function passUntil(clock: FakeClock, over: Promise<unknown>): Promise<number> {
  const fromMs = clock.now()
  let isOver = false
  void over.then(() => {
    isOver = true
  })
  for (; !isOver; await settle()) clock.advance(10)
  return clock.now() - fromMs
}
