import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Agent, createRuntime, type Scope } from '@dsh/tools'
import type { TextKeeper } from '@dsh/tools/ports'
import { createLatch } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { bench, passUntil, provideStore, settle, shows, valueIn } from '../../test/job-bench.ts'
import { commandsWith, markedSleep } from '../../test/processes.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import { shellTools } from '../shell/shell-tools.ts'
import type { Job } from './job.ts'
import type { JobListValue } from './job-list-tool.ts'
import { jobTools } from './job-tools.ts'

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

function keeper(kept: string[]): () => Promise<TextKeeper> {
  return async () => ({
    append: async (bytes) => void kept.push(Buffer.from(bytes).toString()),
    end: async () => 'result-1',
    discard: async () => void kept.push('discarded'),
  })
}

test('a job is read piece by piece, by any number of readers, and says how it ended', async () => {
  const { start, output, runtime } = await bench()
  const job = await start('echo out; echo err >&2; exit 3')
  expect(await output('job-1', { until: 'exit', waitMs: 600_000 })).toMatchObject({
    job: 'job-1',
    status: 'exited',
    exitCode: 3,
    cursor: 0,
    nextCursor: 8,
    more: false,
    totalBytes: 8,
    skippedBytes: 0,
  })
  expect(await output(job.id, { limit: 3 })).toMatchObject({ text: expect.stringMatching(/^(out|err)$/), nextCursor: 3, more: true })
  expect(await output(job.id, { limit: 3 })).toMatchObject({ cursor: 0, nextCursor: 3 })
  expect(await output(job.id, { cursor: -4 })).toMatchObject({ cursor: 4, nextCursor: 8, text: expect.stringMatching(/^(out|err)\n$/) })
  const { content } = await runtime.call('job_output', { job: 'job-1', cursor: 8 })
  expect(content).toEqual([{ type: 'text', text: '[job-1 exited with code 3; no output here; all 8 bytes of its output have been read]' }])
})

test('a wait ends with the first output after the cursor, at the end of the job, or at its deadline', async () => {
  const { start, output, clock } = await bench()
  const cwd = await tempFolder()
  execFileSync('mkfifo', [join(cwd, 'gate')])
  const job = await start('echo one; read line < gate; echo two', { cwd })
  await shows(job, /one/)
  const waiting = output('job-1', { cursor: 4, waitMs: 5_000 })
  await settle()
  clock.advance(5_000)
  expect(await waiting).toMatchObject({ text: '', status: 'running', nextCursor: 4, more: false })
  expect(clock.pending).toBe(0)
  const next = output('job-1', { cursor: 4, waitMs: 5_000 })
  const end = output('job-1', { cursor: 4, waitMs: 5_000, until: 'exit' })
  await writeFile(join(cwd, 'gate'), 'go\n')
  expect(await next).toMatchObject({ text: 'two\n', nextCursor: 8 })
  expect(await end).toMatchObject({ status: 'exited', exitCode: 0 })
  expect(await output('job-1', { cursor: 8, waitMs: 5_000 })).toMatchObject({ text: '', status: 'exited' })
  expect(clock.pending).toBe(0)
})

test('a wait ends at once when its call is cancelled, and the job goes on', async () => {
  const { start, runtime, clock } = await bench()
  const job = await start(`sleep ${markedSleep()}`)
  const controller = new AbortController()
  const waiting = runtime.call('job_output', { job: 'job-1', waitMs: 600_000 }, { signal: controller.signal })
  await settle()
  controller.abort()
  expect((await waiting).error?.info?.code).toBe('ABORTED')
  expect([clock.pending, job.state.status]).toEqual([0, 'running'])
})

test('job_kill ends the whole group, also what traps TERM, and a second one says that the job had ended', async () => {
  const { start, runtime } = await bench()
  const mark = markedSleep()
  const job = await start(`trap '' TERM; (trap '' TERM; sleep ${mark}) & echo up; while :; do sleep ${mark}; done`)
  await shows(job, /up/)
  const killed = await runtime.call('job_kill', { job: 'job-1' })
  expect(killed).toMatchObject({ value: { job: 'job-1', status: 'killed', signal: 'SIGKILL', hadEnded: false } })
  expect(commandsWith(mark)).toEqual([])
  const again = await runtime.call('job_kill', { job: 'job-1' })
  expect(again).toMatchObject({ isError: false, value: { status: 'killed', hadEnded: true } })
  expect(again.content).toEqual([{ type: 'text', text: 'job-1 was killed (SIGKILL) before, so there was nothing to end.' }])
})

test('an unknown job is answered with those there are', async () => {
  const { start, runtime } = await bench()
  const none = await runtime.call('job_kill', { job: 'job-7' })
  expect(none.error).toMatchObject({ info: { code: 'JOB_NOT_FOUND' }, message: expect.stringContaining('There are none.') })
  await start('true')
  await start('true')
  const one = await runtime.call('job_output', { job: 'job-7' })
  expect(one.error).toMatchObject({ info: { code: 'JOB_NOT_FOUND' }, message: expect.stringContaining('There are job-1, job-2.') })
})

test('an agent sees its own jobs alone, and each counts its own from 1', async () => {
  const { start, runtime } = await bench()
  const [a, b] = [{ id: 'a' }, { id: 'b' }]
  for (const agent of [a, b]) runtime.child(agent)
  await start('echo a', { agent: a, description: 'says a' })
  await start('echo b', { agent: b })
  const list = async (agent?: Agent) => valueIn<JobListValue>(await runtime.call('job_list', {}, agent ? { agent } : {})).jobs
  expect(await list(a)).toMatchObject([{ job: 'job-1', command: 'echo a', description: 'says a' }])
  expect(await list(b)).toMatchObject([{ job: 'job-1', command: 'echo b' }])
  expect(await list()).toEqual([])
})

test('the jobs of an agent end when its scope is disposed, and it begins no more', async () => {
  const { start, runtime, table } = await bench()
  const [mark, others] = [markedSleep(), markedSleep()]
  const agent = { id: 'a' }
  const scope = runtime.child(agent)
  const job = await start(`sleep ${mark}`, { agent })
  const other = await start(`sleep ${others}`)
  scope.dispose()
  await job.ended
  expect(job.state).toMatchObject({ status: 'killed' })
  expect(commandsWith(mark)).toEqual([])
  expect(other.state.status).toBe('running')
  await expect(start('true', { agent })).rejects.toMatchObject({ code: 'JOBS_CLOSED' })
  expect(table.of(agent).all).toHaveLength(1)
})

test('all jobs end when the runtime is disposed; the port tells when those of an agent are gone', async () => {
  const { start, runtime } = await bench()
  const mark = markedSleep()
  const agent = { id: 'a' }
  const jobs = [await start(`sleep ${mark}`), await start(`sleep ${mark}`, { agent })]
  await runtime.get('jobs')?.stop(agent)
  expect(jobs.map((job) => job.state.status)).toEqual(['running', 'killed'])
  runtime.dispose()
  await Promise.all(jobs.map((job) => job.ended))
  expect(commandsWith(mark)).toEqual([])
  await expect(start('true')).rejects.toMatchObject({ code: 'JOBS_CLOSED' })
})

test('cancelling the call that began a job ends the job only while it is being started', async () => {
  const { start, table } = await bench()
  const mark = markedSleep()
  const controller = new AbortController()
  const starting = start(`sleep ${mark}`, { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(starting).rejects.toThrow('enough')
  expect([commandsWith(mark), table.of().all]).toEqual([[], []])
  const later = new AbortController()
  const job = await start(`sleep ${mark}`, { signal: later.signal })
  later.abort()
  expect(commandsWith(mark)).not.toEqual([])
  expect(job.state.status).toBe('running')
})

test('a job that cannot be started is no job', async () => {
  const { start, table } = await bench()
  await expect(start('true', { cwd: '/no/such/folder' })).rejects.toMatchObject({ code: 'COMMAND_NOT_STARTED' })
  expect(table.of().all).toEqual([])
})

test('jobs beyond the most are refused with the way out, also while others are being started', async () => {
  const { start, runtime } = await bench({ maxJobs: 2 })
  const mark = markedSleep()
  const three = await Promise.allSettled([1, 2, 3].map(() => start(`sleep ${mark}`)))
  expect(three.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect((three[2] as PromiseRejectedResult).reason).toMatchObject({
    code: 'TOO_MANY_JOBS',
    message: '2 jobs run already, which is the most: job-1, job-2. End one with job_kill, or wait for one with job_output, and try again.',
  })
  await runtime.call('job_kill', { job: 'job-1' })
  expect((await start('true')).id).toBe('job-3')
})

test('of the jobs that are over the oldest are forgotten', async () => {
  const { start, table } = await bench({ keptJobs: 2 })
  for (let index = 0; index < 4; index++) await (await start('true')).ended
  await settle()
  expect(table.of().all.map((job) => job.id)).toEqual(['job-3', 'job-4'])
})

test('a job ends at its deadline, when it has one', async () => {
  const { start, clock, output } = await bench()
  const mark = markedSleep()
  const job = await start(`echo up; sleep ${mark}`, { timeoutMs: 60_000 })
  await shows(job, /up/)
  clock.advance(60_000)
  await job.ended
  expect(await output('job-1')).toMatchObject({ status: 'timed-out', signal: 'SIGTERM', text: 'up\n' })
  expect(commandsWith(mark)).toEqual([])
})

test('a job that prints much keeps the end within its window, and says what is gone', async () => {
  const { start, output, runtime } = await bench({ jobWindowBytes: 10_000 })
  const job = await start('for i in $(seq 1 20000); do echo line $i; done')
  await job.ended
  const value = await output('job-1', { limit: 200 })
  expect(value.skippedBytes).toBe(value.cursor)
  expect(value.totalBytes - value.cursor).toBeGreaterThanOrEqual(10_000)
  expect(value.totalBytes - value.cursor).toBeLessThanOrEqual(20_000)
  expect((await output('job-1', { cursor: -11 })).text).toBe('line 20000\n')
  const { content } = await runtime.call('job_output', { job: 'job-1' })
  expect(content[0]).toMatchObject({ text: expect.stringMatching(/^\[[\d,]+ bytes before this are too old to be here\]\n/) })
})

test('the whole output is kept where there is a store, and its locator is said when the job has ended', async () => {
  const kept: string[] = []
  const { start, output } = await bench({ jobWindowBytes: 100 }, (runtime) => provideStore(runtime, keeper(kept)))
  const job = await start('seq 1 1000')
  await job.ended
  expect(await output('job-1')).toMatchObject({ output: 'result-1' })
  expect(kept.join('')).toBe(Array.from({ length: 1_000 }, (_, index) => `${index + 1}\n`).join(''))
})

test('a store that fails is said, forgotten, and ends no job', async () => {
  let discarded = 0
  const broken: TextKeeper = {
    append: () => Promise.reject(new Error('disk full')),
    end: async () => 'never',
    discard: async () => void discarded++,
  }
  const { start, output } = await bench({}, (runtime) => provideStore(runtime, async () => broken))
  await (await start('echo hello')).ended
  expect(await output('job-1')).toMatchObject({ status: 'exited', text: 'hello\n', keepProblem: 'disk full' })
  expect((await output('job-1')).output).toBeUndefined()
  expect(discarded).toBe(1)
})

test('nothing is kept of a job without output, and that is no trouble', async () => {
  const kept: string[] = []
  const { start, output } = await bench({}, (runtime) => provideStore(runtime, keeper(kept)))
  await (await start('true')).ended
  expect(kept).toEqual([])
  expect(await output('job-1')).not.toHaveProperty('keepProblem')
})

test.each([
  ['cursor beyond the end', { cursor: 1_000 }, 'ok'],
  ['limit below 1', { limit: 0 }, 'INVALID_RANGE'],
  ['waitMs below 0', { waitMs: -1 }, 'INVALID_RANGE'],
])('%s: %j is answered with %s', async (_what, args, answer) => {
  const { start, runtime } = await bench()
  await start('echo hello')
  const result = await runtime.call('job_output', { job: 'job-1', ...args })
  expect(result.isError ? result.error.info?.code : 'ok').toBe(answer)
})

test('the card of job_output is a terminal with the state, one that is replayed included', async () => {
  const { start, runtime } = await bench()
  await (await start('echo hello; exit 2')).ended
  const result = await runtime.call('job_output', { job: 'job-1' })
  const definition = runtime.tools.get('job_output')
  expect(definition?.presentResult?.({ job: 'job-1' }, result)).toEqual({
    card: 'terminal',
    title: 'job-1 exited with code 2',
    output: 'hello\n',
    exitCode: 2,
  })
})

test('200 jobs that are begun, cancelled and killed at random leave no process and no timer', async () => {
  const { start, table, clock } = await bench({ maxJobs: 1_000, keptJobs: 1_000 })
  const mark = markedSleep()
  const random = seeded(7)
  for (let round = 0; round < 4; round++) {
    const begun = Array.from({ length: 50 }, async () => {
      const controller = new AbortController()
      const timeoutMs = random() < 0.3 ? { timeoutMs: 1_000 } : {}
      const job = start(random() < 0.3 ? 'true' : `sleep ${mark}`, { signal: controller.signal, ...timeoutMs })
      if (random() < 0.3) controller.abort(new Error('cancelled'))
      try {
        const started = await job
        if (random() < 0.5) started.kill()
      } catch (error) {
        expect(error).toMatchObject({ message: 'cancelled' })
      }
    })
    await Promise.all(begun)
    if (round === 2) clock.advance(1_000)
  }
  await table.close()
  expect(commandsWith(mark)).toEqual([])
  expect(clock.pending).toBe(0)
}, 60_000)

test('a configuration that cannot work is refused with every problem', async () => {
  const config = { limit: 1, limits: { maxJobs: 0, keptJob: 3 } } as never
  await expect(createRuntime().plugin(jobTools, config)).rejects.toThrow(
    /limit is not a setting[\s\S]*limits\.keptJob is not[\s\S]*limits\.maxJobs must be/,
  )
})

test('a store that falls behind holds the command up, and all of it is kept', async () => {
  const [gate, asked] = [createLatch(), createLatch()]
  const kept: string[] = []
  const slow = async (): Promise<TextKeeper> => ({
    async append(bytes) {
      asked.open()
      await gate.opened
      kept.push(Buffer.from(bytes).toString())
    },
    end: async () => 'result-1',
    discard: async () => undefined,
  })
  const { start } = await bench({}, (scope) => provideStore(scope, slow))
  const free = await bench()
  const command = 'head -c 8000000 /dev/zero | tr "\\0" a; echo end'
  const job = await start(command)
  await asked.opened
  const unheld = await free.start(command)
  await unheld.ended // time enough for the other one, too
  expect(unheld.bytes).toBe(8_000_004)
  expect(job.bytes).toBeLessThan(2_000_000)
  gate.open()
  await job.ended
  expect(kept.join('')).toHaveLength(8_000_004)
  expect(job.kept).toEqual({ output: 'result-1' })
})

/** A store of which one step hangs for ever, and says when it does. */
function hanging(step: 'keepText' | 'append' | 'end') {
  const asked = createLatch()
  const hang = () => {
    asked.open()
    return new Promise<never>(() => undefined)
  }
  const keep: TextKeeper = { append: async () => undefined, end: async () => 'result-1', discard: async () => undefined, [step]: hang }
  return { asked: asked.opened, provide: (scope: Scope) => provideStore(scope, step === 'keepText' ? hang : async () => keep) }
}

test.each(['keepText', 'append', 'end'] as const)('a store that hangs in %s holds up neither a job nor its end', async (step) => {
  const { asked, provide } = hanging(step)
  const { start, clock, output } = await bench({}, provide)
  const job = await start('seq 1 300000')
  await asked
  await passUntil(clock, job.ended)
  const late = 'the store did not take it in time'
  expect(await output('job-1', { cursor: -7 })).toMatchObject({ status: 'exited', exitCode: 0, text: '300000\n', keepProblem: late })
  expect(clock.pending).toBe(0)
})

test('a store that hangs does not hold up the end of a job that is killed', async () => {
  const { asked, provide } = hanging('append')
  const { start, clock, runtime } = await bench({}, provide)
  const mark = markedSleep()
  await start(`echo up; sleep ${mark}`)
  await asked
  const killed = runtime.call('job_kill', { job: 'job-1' })
  expect(await passUntil(clock, killed)).toBeLessThan(30_000)
  expect(await killed).toMatchObject({ value: { status: 'killed' } })
  expect(commandsWith(mark)).toEqual([])
})

test('a kill that comes while the store still writes does not change how the job ended', async () => {
  const { asked, provide } = hanging('end')
  const { start, clock } = await bench({}, provide)
  const job = await start('echo done; exit 3')
  await asked
  job.kill()
  await passUntil(clock, job.ended)
  expect(job.state).toEqual({ status: 'exited', exitCode: 3 })
})

test('bash leaves a command running in the background: the value is its job, and the end of the call is not its end', async () => {
  const { runtime, table } = await bench()
  await runtime.plugin(shellTools, { root: await tempFolder() })
  const mark = markedSleep()
  const args = { command: `echo up; sleep ${mark}`, description: 'Sleep', background: true }
  const controller = new AbortController()
  const result = await runtime.call('bash', args, { signal: controller.signal })
  controller.abort()
  const [job] = table.of().all
  expect(result).toMatchObject({ value: { job: 'job-1', pid: job?.pid, status: 'running' } })
  const said = `[job-1 runs in the background (process ${job?.pid}): job_output reads its output, job_kill ends it]`
  expect(result.content).toEqual([{ type: 'text', text: said }])
  expect(runtime.tools.get('bash')?.presentResult?.(args, result)).toEqual({ card: 'terminal', title: args.command, output: said })
  await shows(job as Job, /up/)
  expect(job?.state.status).toBe('running')
  expect(valueIn<JobListValue>(await runtime.call('job_list')).jobs).toMatchObject([{ job: 'job-1', description: 'Sleep' }])
  await runtime.call('job_kill', { job: 'job-1' })
  expect(commandsWith(mark)).toEqual([])
})

test('bash has a background only where there are jobs, and says so when they have gone', async () => {
  const without = createRuntime()
  await without.plugin(shellTools, { root: await tempFolder() })
  expect(without.tools.get('bash')?.parameters.properties).not.toHaveProperty('background')
  const runtime = createRuntime()
  const jobs = runtime.plugin(jobTools)
  await jobs
  await runtime.plugin(shellTools, { root: await tempFolder() })
  await jobs.dispose()
  const result = await runtime.call('bash', { command: 'true', background: true })
  expect(result.error).toMatchObject({ info: { code: 'JOBS_CLOSED' } })
  expect(await runtime.call('bash', { command: 'true' })).toMatchObject({ value: { exitCode: 0 } })
})

test('a background command keeps to the deadline it is given, beyond the deadline of a call, and to its folder and variables', async () => {
  const { runtime, clock, table } = await bench()
  await runtime.plugin(shellTools, { root: await tempFolder({ 'sub/file': '' }) })
  const command = `ls; echo $GREETING; sleep ${markedSleep()}`
  await runtime.call('bash', { command, cwd: 'sub', env: { GREETING: 'hello' }, background: true, timeoutMs: 300_000 })
  const job = table.of().find('job-1')
  await shows(job, /^file\nhello\n/)
  clock.advance(299_999)
  expect(job.isTold).toBe(false)
  clock.advance(1)
  await job.ended
  expect(job.state.status).toBe('timed-out')
})

test('colours and lines written anew are left out of what a model reads, and stay in the value', async () => {
  const { start, runtime, output } = await bench()
  await (await start("printf '10%%\\r99%%\\n\\033[31mred\\033[0m\\n'")).ended
  expect((await output('job-1')).text).toBe('10%\r99%\n\u001b[31mred\u001b[0m\n')
  const { content } = await runtime.call('job_output', { job: 'job-1' })
  expect(content[0]).toMatchObject({ text: expect.stringMatching(/^99%\nred\n\[job-1 exited with code 0;/) })
})
