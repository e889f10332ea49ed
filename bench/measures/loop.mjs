// The agent loop: a turn of one step of 100 calls that may overlap, and the words after it.
import * as ai from '../contestants/ai-loop.mjs'
import * as ours from '../contestants/dsh-loop.mjs'
import { CALLS, CAP, floor } from '../contestants/loop-step.mjs'

export const name = 'A turn of 100 calls'
export const target =
  "a turn with a step of 100 parallel-safe calls of 1 ms, at a cap of 100 and on the memory store, takes at most 1/5 of the best known implementation's at its cap of 10"
export const notes = [
  'A new agent for each turn: a stub model asks for 100 calls whose bodies wait a millisecond, and then says a word. `bodies alone` is what those waits take at that cap with no runtime around them. Ours keeps its log on',
  'the memory store, the Cordis peer its sessions in memory; `ai` keeps none and has no cap. The peer runs on Node 22 and later alone.',
]

export async function run({ compare, ratio, verdict, timingTable, options }) {
  const peer = 'withResolvers' in Promise ? await import('../contestants/cordis-loop.mjs') : undefined
  const contestants = {
    floor: { run: () => floor(CALLS), per: 1 },
    ours: { run: await ours.create(CALLS), per: 1 },
    ai: { run: await ai.create(), per: 1 },
    floor10: { run: () => floor(CAP), per: 1 },
    ours10: { run: await ours.create(CAP), per: 1 },
    ...(peer && { peer10: { run: await peer.create(CAP), per: 1 } }),
  }
  const timings = await compare(contestants, { ...options, rounds: Math.min(options.rounds, 15) })
  const labels = {
    floor: 'bodies alone, all at once',
    ours: '@dsh/agent, a cap of 100',
    ai: 'ai, no cap',
    floor10: 'bodies alone, 10 at once',
    ours10: '@dsh/agent, a cap of 10',
    ...(peer && { peer10: '@deepseek-ai/dsh-agent-loop, a cap of 10' }),
  }
  return {
    verdicts: peer
      ? [
          verdict('a turn at a cap of 100, of that of the peer at 10', ratio(timings.ours, timings.peer10), { atMost: 1 / 5 }),
          verdict('a turn at a cap of 10, of that of the peer', ratio(timings.ours10, timings.peer10), { atMost: 1 / 2 }),
        ]
      : [],
    tables: [timingTable(timings, labels, 'floor', 'A turn')],
  }
}
