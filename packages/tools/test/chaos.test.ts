import { afterAll, beforeAll, expect, test } from 'vitest'
import { runChaos } from './chaos.ts'
import { settleMicrotasks } from './fixtures.ts'

// A sample of the chaos; DSH_CHAOS=5000 runs that many batches, DSH_SEED=n runs the batch of one seed again.
const seeds = process.env['DSH_SEED']
  ? [Number(process.env['DSH_SEED'])]
  : Array.from({ length: Number(process.env['DSH_CHAOS'] ?? 300) }, (_, n) => n + 1)

const trouble: unknown[] = []
const note = (what: unknown) => void trouble.push(what)
beforeAll(() => {
  process.on('unhandledRejection', note)
  process.on('warning', note)
})
afterAll(() => {
  process.off('unhandledRejection', note)
  process.off('warning', note)
})

test(`${seeds.length} random batches keep every promise of a batch`, async () => {
  for (const seed of seeds) {
    const { calls, batch, runningAtEnd, listenersLeft, announced } = await runChaos(seed)
    const results = batch.results.map(({ result }) => result)
    const seen = {
      seed,
      ids: batch.results.map(({ callId }) => callId),
      runningAtEnd,
      listenersLeft,
      announced,
      codes: results.every((result) => !result.isError || typeof result.error.info?.code === 'string'),
      frozen: results.every((result) => Object.isFrozen(result) && Object.isFrozen(result.content)),
      content: results.every((result) => Array.isArray(result.content)),
    }
    const ids = calls.map(({ callId }) => callId)
    expect(seen).toEqual({
      seed,
      ids,
      runningAtEnd: 0,
      listenersLeft: 0,
      announced: calls.map(() => 1),
      codes: true,
      frozen: true,
      content: true,
    })
  }
  await settleMicrotasks()
  expect(trouble).toEqual([])
}, 600_000)
