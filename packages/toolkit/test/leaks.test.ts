import { readdirSync } from 'node:fs'
import { createRuntime, type Scope } from '@dsh/tools'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { fileTools } from '../src/index.ts'
import { childCommands } from './children.ts'
import { tempFolder } from './temp-folder.ts'

/** Calls of each tool: `npm run soak` makes a thousand of each. */
const CALLS = Number(process.env['DSH_LEAKS'] ?? 100)
const AT_ONCE = 8
const SEED = Number(process.env['DSH_SEED'] ?? Date.now() % 1_000_000)
/** Handles close in later turns of the event loop than the call that opened them: so many are waited for at most. */
const MAX_TURNS = 500

/** What each tool is called with: the n-th call. */
const ARGUMENTS: Readonly<Record<string, (n: number) => object>> = {
  read: (n) => ({ path: `src/file-${n % 20}.ts`, offset: 1 + (n % 3) }),
  glob: () => ({ pattern: '**/*.ts' }),
  grep: (n) => ({ pattern: `line ${n % 10}`, path: 'src' }),
}

interface Workspace {
  readonly runtime: Scope
  readonly root: string
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
    await callMany(space.runtime, name, AT_ONCE) // what is loaded once is there
    const before = await settled(space, () => true)
    await callMany(space.runtime, name, CALLS)
    const after = await settled(space, (now) => JSON.stringify(now) === JSON.stringify(before))
    expect(after, `seed ${SEED}`).toEqual(before)
  },
  600_000,
)

async function workspace(): Promise<Workspace> {
  const lines = Array.from({ length: 400 }, (_, n) => `line ${n}\n`).join('')
  const root = await tempFolder(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`src/file-${n}.ts`, lines])))
  const temporary = await tempFolder()
  useTemporary(temporary)
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root })
  return { runtime, root, temporary }
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
async function callMany(runtime: Scope, name: string, calls: number): Promise<void> {
  const toArguments = ARGUMENTS[name] as (n: number) => object
  const moments = fc.sample(fc.integer({ min: -60, max: 120 }), { numRuns: calls, seed: SEED })
  let next = 0
  const worker = async () => {
    for (let n = next++; n < calls; n = next++) {
      const moment = moments[n] as number
      const controller = new AbortController()
      const call = runtime.call(name, toArguments(n), { signal: controller.signal })
      for (let turn = moment; turn > 0; turn--) await nextTurn()
      if (moment >= 0) controller.abort()
      await call
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** What is left as soon as it is as wanted twice in a row, or what it is after many turns. */
async function settled(space: Workspace, isWanted: (now: object) => boolean): Promise<object> {
  let last = ''
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    await nextTurn()
    const now = handles()
    if (JSON.stringify(now) === last && isWanted({ ...now, ...traces(space) })) break
    last = JSON.stringify(now)
  }
  return { ...handles(), ...traces(space) }
}

/** Handles, timers and open files; a number is undefined where the system does not say. */
function handles(): { readonly active: readonly string[]; readonly openFiles: number | undefined } {
  const active = process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate')
  return { active: active.sort(), openFiles: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : undefined }
}

/** Children, and files that a tool may have made. */
function traces({ root, temporary }: Workspace): object {
  return { children: childCommands(), files: listed(root), temporary: listed(temporary) }
}

function listed(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
