// What a listener adds to a trivial call, in each of the four stages.
import * as dsh from '../contestants/dsh.mjs'

export const name = 'Listeners'
export const target = 'each listener added to any of the four stages: under 1.5 µs a call'

const MANY = 10
const PASS_ON = {
  'tools/pre-execute': async (_exec, next) => next(),
  'tools/execute': async (_exec, next) => next(),
  'tools/post-execute': async (_exec, _result, next) => next(),
  'tools/result': () => undefined,
}

export async function run({ compare, perRound, verdict, timingTable, options }) {
  const verdicts = []
  const tables = []
  for (const [stage, listener] of Object.entries(PASS_ON)) {
    const timings = await compare(
      {
        none: await withListeners(stage, listener, 0),
        first: await withListeners(stage, listener, 1),
        many: await withListeners(stage, listener, 1 + MANY),
      },
      { ...options, rounds: 2 * options.rounds }, // the differences are small
    )
    const first = perRound(timings, (round) => round.first - round.none)
    const further = perRound(timings, (round) => (round.many - round.first) / MANY)
    verdicts.push(verdict(`\`${stage}\`, the first listener`, first, { atMost: 1.5, unit: 'µs' }))
    verdicts.push(verdict(`\`${stage}\`, each of ${MANY} further ones`, further, { atMost: 1.5, unit: 'µs' }))
    tables.push(timingTable(timings, { none: 'no listener', first: 'one', many: `${1 + MANY}` }, 'none', `\`${stage}\``))
  }
  return { verdicts, tables }
}

/** A trivial call with listeners that pass on, and a check that all of them are asked. */
async function withListeners(stage, listener, count) {
  const { runtime, one } = await dsh.create()
  let asked = 0
  const counting = (...args) => {
    asked++
    return listener(...args)
  }
  const disposers = Array.from({ length: count }, () => runtime.on(stage, counting))
  await one()
  if (asked !== count) throw new Error(`${asked} of ${count} listeners of ${stage} were asked`)
  for (const dispose of disposers) dispose()
  for (let n = 0; n < count; n++) runtime.on(stage, listener)
  return one
}
