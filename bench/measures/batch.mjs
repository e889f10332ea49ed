// Many parallel-safe calls in one batch: time for each, and memory for each that waits.
import { createRuntime, defineTool } from '@dsh/tools'
import { DESCRIPTION, OUTPUT, PARAMETERS, SIGNAL } from '../contestants/trivial.mjs'

export const name = 'A batch of 10,000'
export const target = '10,000 parallel-safe calls in one batch: linear; under 2 kB of memory per waiting call'
export const notes = [
  'At most ten bodies run at once. Linear: a call of 20,000 takes at most 1.5 times as long as a call of 10,000 (a quadratic batch: twice). A call of 1,000 is cheaper than both on a',
  'small young generation: all of it dies young, and of a larger batch the collector has to copy what waits. Memory: the heap after a collection while the bodies that run stand at a gate, less the heap before the batch, for',
  'each call; the texts of the calls are there before.',
]

export async function run({ compare, median, ratio, verdict, timingTable, valueTable, options }) {
  const timings = await compare(
    { thousand: batchOf(1_000), tenThousand: batchOf(10_000), more: batchOf(20_000) },
    { ...options, rounds: Math.min(options.rounds, 15) },
  )
  const waiting = []
  for (let round = 0; round < 5; round++) waiting.push(await bytesPerWaitingCall(10_000))
  const bytes = median(waiting)
  return {
    verdicts: [
      verdict('a call of 20,000, of a call of 10,000', ratio(timings.more, timings.tenThousand), { atMost: 1.5 }),
      verdict('memory per waiting call', bytes, { atMost: 2_000, unit: 'bytes' }),
    ],
    tables: [
      timingTable(timings, { thousand: 'a call of 1,000', tenThousand: 'a call of 10,000', more: 'a call of 20,000' }, 'thousand'),
      valueTable(
        undefined,
        ['', 'median', 'least', 'most'],
        [['bytes per waiting call', bytes, Math.min(...waiting), Math.max(...waiting)]],
      ),
    ],
  }
}

function createTool(execute) {
  const runtime = createRuntime()
  const output = { schema: OUTPUT }
  runtime.tools.register(
    defineTool({ name: 'wait', description: DESCRIPTION, parameters: PARAMETERS, output, isConcurrencySafe: () => true, execute }),
  )
  return runtime
}

function toCalls(size) {
  return Array.from({ length: size }, (_, n) => ({ type: 'tool-call', callId: `c${n}`, name: 'wait', arguments: `{"n":${n}}` }))
}

function batchOf(size) {
  const { tools } = createTool(async ({ n }) => n + 1)
  const calls = toCalls(size)
  const run = async () => {
    const { results } = await tools.execute({ calls, signal: SIGNAL })
    if (results.length !== size || results[size - 1].result.value !== size) throw new Error('a result is missing')
  }
  return { run, per: size }
}

async function bytesPerWaitingCall(size) {
  const gate = withResolvers()
  const running = withResolvers()
  let bodies = 0
  const { tools } = createTool(async ({ n }) => {
    if (++bodies === 10) running.resolve()
    await gate.promise
    return n + 1
  })
  const calls = toCalls(size)
  const before = heapUsed()
  const batch = tools.execute({ calls, signal: SIGNAL })
  await running.promise
  await new Promise((resolve) => setImmediate(resolve)) // every call that can wait does by then
  const bytes = (heapUsed() - before) / size
  gate.resolve()
  const { results } = await batch
  if (results.some(({ result }) => result.isError)) throw new Error('a call failed')
  return bytes
}

function withResolvers() {
  let resolve
  const promise = new Promise((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

function heapUsed() {
  for (let time = 0; time < 3; time++) globalThis.gc()
  return process.memoryUsage().heapUsed
}
