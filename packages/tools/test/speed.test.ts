import { expect, test } from 'vitest'
import { createRuntime, type Scope } from '../src/index.ts'
import { compileSchema } from '../src/schema/compile.ts'
import { createLatch } from '../src/testing/door.ts'
import { call, rawTool } from './fixtures.ts'
import { heapInUse } from './heap.ts'

// Ratios, with bounds of several times what is measured: they fail when something has become
// many times slower, whatever the machine. A machine that is busy with something else may spoil one try, so there are three.
const tries = { retry: 2 }

/** How often `job` takes as long as `base`: both in turns, the best of each counts. */
async function timesAsLong(job: () => unknown, base: () => unknown): Promise<number> {
  const best = { job: Infinity, base: Infinity }
  for (let round = 0; round < 12; round++) {
    best.base = Math.min(best.base, await timed(base))
    best.job = Math.min(best.job, await timed(job))
  }
  return best.job / best.base
}

async function timed(run: () => unknown): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

const repeated = (times: number, run: () => unknown) => async () => {
  for (let n = 0; n < times; n++) await run()
}

const { signal } = new AbortController()
const addOne = () =>
  rawTool('add_one', async (args) => (args as { n: number }).n + 1, {
    parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    output: { schema: { type: 'integer' }, render: (_args, value) => [{ type: 'text', text: String(value) }] },
    isConcurrencySafe: () => true,
  })

function withTools(...tools: readonly ReturnType<typeof rawTool>[]): Scope {
  const runtime = createRuntime()
  for (const tool of tools) runtime.tools.register(tool)
  return runtime
}

/** What nobody can do without: parse, await, copy. */
async function floor(): Promise<unknown> {
  const args = JSON.parse('{"n":1}') as { n: number }
  return structuredClone(await (async () => args.n + 1)())
}

test('a trivial call costs a small multiple of parsing, awaiting and copying', tries, async () => {
  const { tools } = withTools(addOne())
  const batch = { calls: [call('add_one', { n: 1 })], signal }
  expect(
    await timesAsLong(
      repeated(300, () => tools.execute(batch)),
      repeated(300, floor),
    ),
  ).toBeLessThan(100)
})

test('a listener costs a fraction of a call', tries, async () => {
  const plain = withTools(addOne())
  const heard = withTools(addOne())
  for (let n = 0; n < 2; n++) {
    heard.on('tools/pre-execute', (_exec, next) => next())
    heard.on('tools/execute', (_exec, next) => next())
    heard.on('tools/post-execute', (_exec, _result, next) => next())
    heard.on('tools/result', () => undefined)
  }
  const batch = { calls: [call('add_one', { n: 1 })], signal }
  const run = ({ tools }: Scope) => repeated(300, () => tools.execute(batch))
  expect(await timesAsLong(run(heard), run(plain))).toBeLessThan(12)
})

test('a large result costs a small multiple of structuredClone', tries, async () => {
  const rows = Array.from({ length: 5_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'], score: id / 7 }))
  const items = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } }, required: ['id', 'name'] } as const
  const output = { schema: { type: 'array', items } as const, render: () => [] }
  const { tools } = withTools(rawTool('rows', async () => rows, { output }))
  const batch = { calls: [call('rows', {})], signal }
  expect(
    await timesAsLong(
      () => tools.execute(batch),
      () => structuredClone(rows),
    ),
  ).toBeLessThan(10)
})

test('validating costs less than parsing, also when nothing is valid', tries, async () => {
  const item = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } }, required: ['id', 'name'] } as const
  const schema = compileSchema({ type: 'array', items: item })
  const [valid, invalid] = ['name', 'title'].map((name) =>
    JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id, [name]: `${id}` }))),
  )
  const parse = () => JSON.parse(valid as string) as unknown
  const [good, bad] = [parse(), JSON.parse(invalid as string) as unknown]
  expect(schema.inspect(bad).count).toBe(5_000)
  expect(await timesAsLong(() => schema.accepts(good), parse)).toBeLessThan(1.5)
  expect(await timesAsLong(() => schema.inspect(bad), parse)).toBeLessThan(5)
})

test('looking up a tool costs the same among many', tries, async () => {
  const named = (count: number) => withTools(...Array.from({ length: count }, (_, n) => rawTool(`tool_${n}`, async () => n)))
  const [few, many] = [named(10), named(3_000)]
  const lookUp = ({ tools }: Scope) => {
    for (let n = 0; n < 2_000; n++) if (!tools.get('tool_7') || !tools.executable('tool_7')) throw new Error('it is there')
  }
  expect(
    await timesAsLong(
      () => lookUp(many),
      () => lookUp(few),
    ),
  ).toBeLessThan(5)
})

test('registering, and a batch, cost time in proportion to their size', tries, async () => {
  const register = (count: number) => () => withTools(...Array.from({ length: count }, (_, n) => rawTool(`tool_${n}`, async () => n)))
  expect(await timesAsLong(register(1_000), register(100))).toBeLessThan(50)
  const { tools } = withTools(addOne())
  const batch = (size: number) => ({ calls: Array.from({ length: size }, (_, n) => call('add_one', { n })), signal })
  const [small, large] = [batch(100), batch(1_000)]
  expect(
    await timesAsLong(
      () => tools.execute(large),
      () => tools.execute(small),
    ),
  ).toBeLessThan(50)
})

test('a call that waits for its slot keeps little memory', tries, async () => {
  const latch = createLatch()
  const { tools } = withTools(rawTool('waits', () => latch.opened.then(() => 1), { isConcurrencySafe: () => true }))
  const calls = Array.from({ length: 5_000 }, () => call('waits', {}))
  await tools.execute({ calls: calls.slice(0, 0), signal })
  const before = await heapInUse()
  const running = tools.execute({ calls, signal })
  expect(((await heapInUse()) - before) / calls.length).toBeLessThan(4_000)
  latch.open()
  await running
})
