// A trivial call through everything each contestant does with one.
import * as aiSdk from '../contestants/ai-sdk.mjs'
import * as cordis from '../contestants/cordis.mjs'
import * as dsh from '../contestants/dsh.mjs'
import * as floor from '../contestants/floor.mjs'

export const name = 'A trivial call'
export const target =
  "a trivial policed call through `tools.execute`, no listener: at most 1/30 of the Cordis peer's, at most 1/4 of `ai`'s per call in a batch of 64, at most 8 times the floor"

const SIZE = 64
const LABELS = {
  floor: floor.name,
  one: 'dsh, a batch of one',
  cordis: `${cordis.name}, one call`,
  batch: `dsh, a call of a batch of ${SIZE}`,
  ai: `${aiSdk.name}, a call of a step of ${SIZE}`,
  mastra: `@mastra/core, a call of a step of ${SIZE} (\`agent.generate\`)`,
  openai: `@openai/agents, a call of a turn of ${SIZE}`,
}

export async function run({ compare, ratio, verdict, timingTable, options }) {
  const ours = await dsh.create()
  const timings = await compare(
    {
      floor: (await floor.create()).one,
      one: ours.one,
      cordis: (await cordis.create()).one,
      batch: { run: ours.batch(SIZE), per: SIZE },
      ai: { run: (await aiSdk.create()).batch(SIZE), per: SIZE },
    },
    options,
  )
  return {
    verdicts: [
      verdict("a call, of the Cordis peer's", ratio(timings.one, timings.cordis), { atMost: 1 / 30 }),
      verdict(`a call of a batch of ${SIZE}, of \`ai\`'s`, ratio(timings.batch, timings.ai), { atMost: 1 / 4 }),
      verdict("a call, of the floor's", ratio(timings.one, timings.floor), { atMost: 8 }),
    ],
    tables: [timingTable(timings, LABELS, 'one'), await compareAgents(ours, compare, timingTable, options)],
  }
}

/** After the others, because these two hook into every promise of the process: they are imported only now. */
async function compareAgents(ours, compare, timingTable, options) {
  const [mastra, openai] = await Promise.all(['mastra', 'openai-agents'].map((file) => import(`../contestants/${file}.mjs`)))
  const timings = await compare(
    {
      batch: { run: ours.batch(SIZE), per: SIZE },
      mastra: { run: (await mastra.create()).batch(SIZE), per: SIZE },
      openai: { run: (await openai.create()).batch(SIZE), per: SIZE },
    },
    options,
  )
  return timingTable(timings, LABELS, 'batch', 'Whole agents, in the same process after the others')
}
