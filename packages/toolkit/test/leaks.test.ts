import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createRuntime, type Scope } from '@dsh/tools'
import type { JobsService } from '@dsh/tools/ports'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { fileTools, jobTools, memoryResults, resultTools, shellTools } from '../src/index.ts'
import { childCommands } from './children.ts'
import { request } from './describe-result-store.ts'
import { commandsWith, markedSleep } from './processes.ts'
import { tempFolder } from './temp-folder.ts'

/** Calls of each tool: `npm run soak` makes a thousand of each. */
const CALLS = Number(process.env['DSH_LEAKS'] ?? 100)
const AT_ONCE = 8
const SEED = Number(process.env['DSH_SEED'] ?? Date.now() % 1_000_000)
/** Handles close in later turns of the event loop than the call that opened them; the test runner has timers of its own. */
const PATIENCE_MS = 5_000

/** A child that ignores TERM and holds the pipe for a while, and more output than is returned. */
const COMMAND = `(trap '' TERM; sleep 0.0${process.pid}) & head -c 200000 /dev/zero; printf done`

/** What each tool is called with: the n-th call. No call may make a file that was not there: a cancelled one may or may not have. */
const ARGUMENTS: Readonly<Record<string, (n: number, space: Workspace) => object | Promise<object>>> = {
  read: (n) => ({ path: `src/file-${n % 20}.ts`, offset: 1 + (n % 3) }),
  glob: () => ({ pattern: '**/*.ts' }),
  grep: (n) => ({ pattern: `line ${n % 10}`, path: 'src' }),
  write: (n) => ({ path: `src/file-${n % 20}.ts`, content: `line ${n}\n`.repeat(400) }),
  edit: (n) => ({ path: `src/file-${n % 20}.ts`, edits: [{ oldText: 'line 0\n', newText: `line 0\n${n}\n` }] }),
  bash: () => ({ command: COMMAND }),
  read_result: (n, { locator }) => (n % 2 === 0 ? { locator, offset: 1 + n } : { locator, pattern: `line ${n}` }),
  job_list: () => ({}),
  job_output: (n, { job }) => ({ job, waitMs: n % 20, until: 'exit' }),
  job_kill: async (_n, { runtime }) => ({ job: await startJob(runtime, COMMAND) }),
}

interface Workspace {
  readonly runtime: Scope
  readonly root: string
  /** It runs as long as the test. */
  readonly job: string
  /** Of a kept result. */
  readonly locator: string
  /** What Node warned of meanwhile: among others, that the garbage collector closed a file nobody had closed. */
  readonly warnings: readonly string[]
  /** What `os.tmpdir()` gives while the test runs: nobody else writes there. */
  readonly temporary: string
}

test('every tool is called here', async () => {
  const { runtime } = await workspace()
  expect(Object.keys(ARGUMENTS).sort()).toEqual(
    runtime.tools
      .definitions()
      .map(({ name }) => name)
      .sort(),
  )
})

test.each(Object.keys(ARGUMENTS))(
  '%s: calls that are cancelled at random leave nothing behind',
  async (name) => {
    const space = await workspace()
    await callMany(space, name, AT_ONCE) // what is loaded once is there
    const before = now(space)
    await callMany(space, name, CALLS)
    expect(await grownSince(before, space), `seed ${SEED}`).toEqual([])
  },
  3_600_000, // a thousand commands that trap TERM take their time
)

async function workspace(): Promise<Workspace> {
  const lines = Array.from({ length: 400 }, (_, n) => `line ${n}\n`).join('')
  const root = await tempFolder(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`src/file-${n}.ts`, lines])))
  const temporary = await tempFolder()
  useTemporary(temporary)
  const runtime = createRuntime()
  const results = memoryResults()
  await runtime.plugin(fileTools, { root })
  await runtime.plugin(shellTools, { root })
  await runtime.plugin(resultTools, { store: results })
  await runtime.plugin(jobTools, { limits: { maxJobs: CALLS + AT_ONCE + 1 } })
  onTestFinished(() => runtime.get('jobs')?.stop())
  const keeper = await results.keepText(request)
  await keeper.append(Buffer.from(lines))
  const job = await startJob(runtime, `sleep ${markedSleep()}`)
  return { runtime, root, temporary, job, locator: await keeper.end(), warnings: collectWarnings() }
}

async function startJob(runtime: Scope, command: string): Promise<string> {
  const { signal } = new AbortController()
  const env = { PATH: process.env['PATH'] ?? '' }
  return (await (runtime.get('jobs') as JobsService).start({ command, cwd: tmpdir(), env }, { ...request, signal })).id
}

function collectWarnings(): string[] {
  const warnings: string[] = []
  const collect = ({ message }: Error) => warnings.push(`warning ${message}`)
  process.on('warning', collect)
  onTestFinished(() => void process.off('warning', collect))
  return warnings
}

function useTemporary(folder: string): void {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
}

/** Run calls a few at a time; two of three are cancelled, after a random number of turns of the event loop. */
async function callMany(space: Workspace, name: string, calls: number): Promise<void> {
  const toArguments = ARGUMENTS[name] as (n: number, space: Workspace) => object | Promise<object>
  const moments = fc.sample(fc.integer({ min: -60, max: 120 }), { numRuns: calls, seed: SEED })
  let next = 0
  const worker = async () => {
    for (let n = next++; n < calls; n = next++) {
      const moment = moments[n] as number
      const controller = new AbortController()
      const args = await toArguments(n, space)
      const call = space.runtime.call(name, args, { signal: controller.signal })
      for (let turn = moment; turn > 0; turn--) await nextTurn()
      if (moment >= 0) controller.abort()
      await call
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** What there is more of than there was, as soon as that is nothing, or what it still is when patience ends. */
async function grownSince(before: readonly string[], space: Workspace): Promise<string[]> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const grown = added(before, now(space))
    if (grown.length === 0 || performance.now() > end) return grown
    for (let turn = 0; turn < 100; turn++) await nextTurn()
  }
}

function added(before: readonly string[], after: readonly string[]): string[] {
  const left = [...before]
  return after.filter((it) => {
    const at = left.indexOf(it)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

/** Handles, timers, open files, children, and files that a tool may have made: one entry each. */
function now({ root, temporary, warnings }: Workspace): string[] {
  return [
    ...process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate'),
    ...openFiles(),
    ...warnings,
    ...[...childCommands(), ...commandsWith(COMMAND)].map((command) => `process ${command}`),
    ...[root, temporary].flatMap(listed).map((path) => `file ${path}`),
  ]
}

/** Where the system says. What a descriptor leads to is not compared: the numbers of pipes differ each time. */
function openFiles(): string[] {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').map(() => 'open file') : []
}

function listed(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
