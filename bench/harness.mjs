// Times contestants side by side in one process: one sample of each in turn, round after round, so that whatever else the machine does
// meanwhile hits all of them alike. What counts are medians, and ratios of medians.

/**
 * One way to do a job.
 * @typedef {(() => unknown) | { prepare?(): unknown, run(prepared: unknown): unknown, per?: number }} Contestant
 *   A function is repeated as often as a sample needs. An object with `prepare` is run once a sample, on what was prepared just before,
 *   which is not timed. `per`: the operations one run does. A run that resolves to `{ cpuUs }` tells CPU time spent in another process.
 * @typedef {{ wall: number, cpu: number, min: number, max: number, samples: { wall: number, cpu: number }[] }} Timing  microseconds an operation
 */

const STABLE_WITHIN = 0.1
const CALIBRATION_MS = 4
let kept // what runs gave last: an engine may not drop work whose result is kept

/**
 * @param {Record<string, Contestant>} contestants
 * @param {{ rounds?: number, minMs?: number, warmUpMs?: number }} options - `minMs`: how long a sample takes at least.
 * @returns {Promise<Record<string, Timing>>}
 */
export async function compare(contestants, { rounds = 9, minMs = 60, warmUpMs = 600 } = {}) {
  const lanes = []
  for (const [name, contestant] of Object.entries(contestants)) lanes.push(await toLane(name, contestant, { minMs, warmUpMs }))
  for (let round = 0; round < rounds; round++) {
    for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) lane.samples.push(await sample(lane))
  }
  return Object.fromEntries(lanes.map(({ name, samples }) => [name, toTiming(samples)]))
}

/** How often the first takes as long as the second: the larger of the ratios of median wall and CPU time, and both. */
export function ratio(a, b) {
  const [wall, cpu] = [a.wall / b.wall, a.cpu / b.cpu]
  const rounds = a.samples.map(({ wall }, round) => wall / b.samples[round].wall)
  return { worst: Math.max(wall, cpu), wall, cpu, min: Math.min(...rounds), max: Math.max(...rounds) }
}

/** The median over the rounds of a figure made of the timings of each round: differences are steadier so than between medians. */
export function perRound(timings, figure) {
  const rounds = Object.values(timings)[0].samples.length
  const at = (round, kind) => Object.fromEntries(Object.entries(timings).map(([name, { samples }]) => [name, samples[round][kind]]))
  const values = (kind) => Array.from({ length: rounds }, (_, round) => figure(at(round, kind)))
  const wall = values('wall')
  const medians = { wall: median(wall), cpu: median(values('cpu')) }
  return { worst: Math.max(medians.wall, medians.cpu), ...medians, min: Math.min(...wall), max: Math.max(...wall) }
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Find out how many repetitions a sample needs, and run until two samples in a row take as long as each other. */
async function toLane(name, contestant, { minMs, warmUpMs }) {
  const { prepare, run, per = 1 } = typeof contestant === 'function' ? { run: contestant } : contestant
  const lane = { name, prepare, run, per, times: 1, samples: [] }
  const end = performance.now() + warmUpMs
  for (let last = Infinity; performance.now() < end; ) {
    const { wall } = await sample(lane)
    if (!prepare) lane.times = Math.max(1, Math.ceil(((lane.times === 1 ? CALIBRATION_MS : minMs) * 1000) / (wall * per)))
    if (lane.times > 1 && Math.abs(wall - last) < last * STABLE_WITHIN && performance.now() > end - warmUpMs / 2) break
    last = wall
  }
  return lane
}

async function sample({ prepare, run, times, per }) {
  const prepared = await prepare?.()
  // No gc() here: a forced one throws optimised code away, and what is timed then is the compiler.
  const cpu = process.cpuUsage()
  const started = performance.now()
  kept = run(prepared)
  const isAsync = typeof kept?.then === 'function'
  if (isAsync) kept = await kept
  for (let time = 1; time < times; time++) kept = isAsync ? await run(prepared) : run(prepared)
  const wall = (performance.now() - started) * 1000
  const { user, system } = process.cpuUsage(cpu)
  return { wall: wall / times / per, cpu: (kept?.cpuUs ?? user + system) / times / per }
}

function toTiming(samples) {
  const walls = samples.map(({ wall }) => wall)
  const [wall, cpu] = [median(walls), median(samples.map((it) => it.cpu))]
  return { wall, cpu, min: Math.min(...walls), max: Math.max(...walls), samples }
}
