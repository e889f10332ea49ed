import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChaosReport, createChaosRuntime, runChaos } from './chaos.ts'
import { heapInUse } from './heap.ts'

// A sample of the chaos; DSH_CHAOS=5000 runs that many batches, DSH_SEED=n runs the batch of one seed again.
const seeds = process.env['DSH_SEED']
  ? [Number(process.env['DSH_SEED'])]
  : Array.from({ length: Number(process.env['DSH_CHAOS'] ?? 300) }, (_, n) => n + 1)

/** After so many batches most code is compiled and caches are full. */
const WARM_UP = Math.floor(seeds.length / 3)
/** Compiled code goes on growing a little; of many batches, what each leaves behind for ever would be more. */
const HEAP_ALLOWANCE = 2_000_000

/** The batch that is running: said at the end when it never ended, or broke. */
let unfinished: number | undefined
const trouble: unknown[] = []
const note = (what: unknown) => void trouble.push(what)
beforeAll(() => {
  process.on('unhandledRejection', note)
  process.on('warning', note)
})
afterAll(() => {
  process.off('unhandledRejection', note)
  process.off('warning', note)
  if (unfinished !== undefined) console.error(`The batch to look at: DSH_SEED=${unfinished}`)
})

test(`${seeds.length} random batches through one runtime keep every promise of a batch`, async () => {
  const root = createChaosRuntime()
  const leftovers: WeakRef<object>[] = []
  let warm = 0
  for (const [index, seed] of seeds.entries()) {
    if (index === WARM_UP) warm = await heapInUse()
    unfinished = seed
    const report = await runChaos(root, seed)
    if (index < 1_000) leftovers.push(...report.leftovers)
    const [seen, promised] = promises(report)
    // every expect() keeps something, which would look like a leak
    if (!isDeepStrictEqual(seen, promised)) expect({ seed, ...seen }).toEqual({ seed, ...promised })
  }
  unfinished = undefined
  const heap = await heapInUse()
  expect(trouble).toEqual([])
  expect(leftovers.filter((left) => left.deref() !== undefined).length).toBeLessThan(4) // the last batch may still be on the stack
  expect(heap - warm).toBeLessThan(HEAP_ALLOWANCE)
}, 600_000)

/** What a batch came to, and what was promised. */
function promises({ calls, batch, runningAtEnd, listenersLeft, announced }: ChaosReport) {
  const results = batch.results.map(({ result }) => result)
  const seen = {
    ids: batch.results.map(({ callId }) => callId),
    runningAtEnd,
    listenersLeft,
    announced,
    codes: results.every((result) => !result.isError || typeof result.error.info?.code === 'string'),
    frozen: results.every((result) => Object.isFrozen(result) && Object.isFrozen(result.content)),
    content: results.every((result) => Array.isArray(result.content)),
  }
  const ids = calls.map(({ callId }) => callId)
  return [seen, { ids, runningAtEnd: 0, listenersLeft: 0, announced: calls.map(() => 1), codes: true, frozen: true, content: true }]
}
