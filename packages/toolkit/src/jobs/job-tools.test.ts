import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bench, settle, shows } from '../../test/job-bench.ts'
import { commandsWith, markedSleep } from '../../test/processes.ts'
import { tempFolder } from '../../test/temp-folder.ts'

test.each(['', 'JOB-1', '1', 'job-1\n', 'job-01', '__proto__', 'constructor', 'x'.repeat(10_000)])(
  'no job is found under %j, and the answer is short',
  async (job) => {
    const { start, runtime } = await bench()
    await start('true')
    for (const tool of ['job_output', 'job_kill']) {
      const { error } = await runtime.call(tool, { job })
      expect(error).toMatchObject({ info: { code: 'JOB_NOT_FOUND' }, message: expect.stringContaining('There are job-1.') })
      expect(error?.message.length).toBeLessThan(300)
    }
  },
)

test("another agent's job cannot be read, ended or counted", async () => {
  const { start, runtime } = await bench({ maxJobs: 1 })
  const [a, b] = [{ id: 'a' }, { id: 'b' }]
  for (const agent of [a, b]) runtime.child(agent)
  const job = await start(`echo secret; sleep ${markedSleep()}`, { agent: a })
  for (const options of [{ agent: b }, {}]) {
    for (const tool of ['job_output', 'job_kill']) {
      const { error } = await runtime.call(tool, { job: 'job-1' }, options)
      expect(error).toMatchObject({ info: { code: 'JOB_NOT_FOUND' }, message: expect.stringContaining('There are none.') })
    }
  }
  expect(job.state.status).toBe('running')
  await expect(start('true', { agent: b })).resolves.toMatchObject({ id: 'job-1' })
})

test('two kills at once both answer when the job is gone, and neither says that it had ended', async () => {
  const { start, runtime } = await bench()
  const mark = markedSleep()
  await start(`sleep ${mark}`)
  const killed = await Promise.all([1, 2].map(() => runtime.call('job_kill', { job: 'job-1' })))
  for (const result of killed) expect(result).toMatchObject({ value: { status: 'killed', signal: 'SIGTERM', hadEnded: false } })
  expect(commandsWith(mark)).toEqual([])
})

test('in one batch a job is waited for, listed and ended: none of the calls waits for another', async () => {
  const { start, runtime } = await bench()
  await start(`sleep ${markedSleep()}`)
  const calls = [
    ['job_output', { job: 'job-1', waitMs: 60_000, until: 'exit' }],
    ['job_list', {}],
    ['job_kill', { job: 'job-1' }],
  ] as const
  const { results } = await runtime.tools.execute({
    calls: calls.map(([name, args]) => ({ type: 'tool-call', name, arguments: JSON.stringify(args) })),
    signal: new AbortController().signal,
  })
  const [waited, listed, killed] = results.map(({ result }) => result)
  expect(waited).toMatchObject({ value: { status: 'killed' } })
  expect(listed).toMatchObject({ value: { jobs: [{ job: 'job-1', status: 'running' }] } })
  expect(killed).toMatchObject({ value: { status: 'killed', hadEnded: false } })
})

test('the cards of the calls say which job, from where on, and how long they may wait', async () => {
  const { runtime } = await bench()
  const card = (name: string, args: object) => runtime.tools.get(name)?.presentCall?.(args as never)
  expect(card('job_output', { job: 'job-1' })).toEqual({ card: 'terminal', title: 'output of job-1' })
  expect(card('job_output', { job: 'job-1', cursor: 40, waitMs: 1_000 })).toEqual({
    card: 'terminal',
    title: 'output of job-1 from 40',
    description: 'waits up to 1,000 ms',
  })
  expect(card('job_kill', { job: 'job-1' })).toEqual({ card: 'generic', kind: 'execute', title: 'end job-1' })
  expect(card('job_list', {})).toEqual({ card: 'generic', kind: 'other', title: 'background jobs' })
})

test('a job that ended by itself is not told to have been killed by a kill that came later', async () => {
  const { start, runtime } = await bench()
  await (await start('exit 4')).ended
  const { content, value } = await runtime.call('job_kill', { job: 'job-1' })
  expect(value).toEqual({ job: 'job-1', status: 'exited', exitCode: 4, hadEnded: true })
  expect(content).toEqual([{ type: 'text', text: 'job-1 exited with code 4 before, so there was nothing to end.' }])
})

test.each([NaN, 1.5, '0', null])('the cursor %j is no cursor', async (cursor) => {
  const { start, runtime } = await bench()
  await start('true')
  expect((await runtime.call('job_output', { job: 'job-1', cursor })).error?.info?.code).toBe('INVALID_ARGS')
})

test('a cursor from the future waits for what comes next, one far below 0 is the beginning', async () => {
  const { start, output } = await bench()
  const cwd = await tempFolder()
  execFileSync('mkfifo', [join(cwd, 'gate')])
  const job = await start('echo one; read line < gate; echo two', { cwd })
  await shows(job, /one/)
  const next = output('job-1', { cursor: Number.MAX_SAFE_INTEGER, waitMs: 600_000 })
  await settle()
  await writeFile(join(cwd, 'gate'), 'go\n')
  expect(await next).toMatchObject({ cursor: 4, text: 'two\n' })
  expect(await output('job-1', { cursor: -Number.MAX_SAFE_INTEGER, limit: 3 })).toMatchObject({ cursor: 0, skippedBytes: 0, text: 'one' })
})

test('a cursor that counts from the end counts from where the end is when the wait is over', async () => {
  const { start, output } = await bench({ jobWindowBytes: 10_000 })
  await start('seq 1 50000')
  expect(await output('job-1', { cursor: -6, waitMs: 600_000, until: 'exit' })).toMatchObject({
    text: '50000\n',
    skippedBytes: 0,
    more: false,
  })
})

test('a reader that waits is told when the scope of its agent goes, with the job', async () => {
  const { start, runtime, clock } = await bench()
  const agent = { id: 'a' }
  const scope = runtime.child(agent)
  await start(`echo up; sleep ${markedSleep()}`, { agent })
  const waiting = runtime.call('job_output', { job: 'job-1', waitMs: 600_000, until: 'exit' }, { agent })
  await settle()
  scope.dispose()
  expect(await waiting).toMatchObject({ value: { status: 'killed', signal: 'SIGTERM' } })
  expect(clock.pending).toBe(0)
})

test('a thousand jobs at once are as many as may run, and a clear refusal of each of the others', async () => {
  const { start, table, runtime } = await bench({ maxJobs: 4 })
  const begun = await Promise.allSettled(Array.from({ length: 1_000 }, () => start(`sleep ${markedSleep()}`)))
  expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
  for (const each of begun.slice(4)) expect(each).toMatchObject({ status: 'rejected', reason: { code: 'TOO_MANY_JOBS' } })
  expect(table.of().all).toHaveLength(4)
  await runtime.get('jobs')?.stop()
  expect((await start('true')).id).toBe('job-5')
})

test('a job that prints 200 MB takes little memory', { timeout: 60_000 }, async () => {
  const { start, output } = await bench()
  const before = process.memoryUsage().rss
  const job = await start("head -c 200000000 /dev/zero | tr '\\0' x")
  await job.ended
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  expect(await output('job-1', { cursor: -5 })).toMatchObject({ text: 'xxxxx', totalBytes: 200_000_000 })
})

test('a long command is listed short, and never cut within a character', async () => {
  const { start, runtime } = await bench()
  await (await start(`: ${'x'.repeat(117)}😀 tail`)).ended
  const { content } = await runtime.call('job_list')
  expect(content[0]).toMatchObject({ text: expect.stringMatching(/: : x{117}…$/) })
})
