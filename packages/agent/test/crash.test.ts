import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { deriveMessages } from '../src/history/derive-messages.ts'
import { callLives, mayRunAgain } from '../src/log/call-life.ts'
import { isEvent, type SessionEvent } from '../src/log/event.ts'
import { openSession } from '../src/log/open-session.ts'
import { type ReadEvents, readEvents } from '../src/log/read-events.ts'
import { withStore, workspace } from './sqlite-folder.ts'

/** How many sessions are killed, each several times. `npm run soak` sets more. */
const SESSIONS = Number(process.env['DSH_CRASHES'] ?? 10)
const CRASH = fileURLToPath(new URL('./children/crash.mjs', import.meta.url))

interface Plan {
  readonly seed: number
  /** Kill itself at this point. */
  readonly killAt?: number
  /** Kill itself from another thread after this time. */
  readonly killAfterMs?: number
}

/** What a body did, as it noted it outside the store. */
interface Effect {
  readonly name: string
  readonly effects: 'none' | 'idempotent' | 'unknown'
  readonly call: number
  readonly callId: string
  readonly key: string
  readonly phase: 'begin' | 'end'
}

/** Run the child. @returns what it printed; empty when it was killed. */
async function run(folder: string, plan: Plan): Promise<string> {
  const child = spawn(process.execPath, [CRASH, folder, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const [code, signal] = await once(child, 'exit')
  expect(code === 0 || signal === 'SIGKILL', `ended with ${code} ${signal}`).toBe(true)
  return out
}

function notes<T>(folder: string, file: string): T[] {
  const path = join(folder, file)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line)) // a last line without its end was torn by the kill
}

async function rawLog(folder: string): Promise<readonly SessionEvent[]> {
  if (!existsSync(join(folder, '.dsh', 'sessions.db'))) return []
  const { events, broken } = await withStore(folder, async (store): Promise<ReadEvents> => {
    const isThere = (await store.list()).length > 0
    return isThere ? readEvents(store, 's', { cards: true }) : { events: [] }
  })
  expect(broken).toBeUndefined()
  return events
}

/** Nothing that was acknowledged is lost, and nothing is there that nobody wrote. */
function assertKept(folder: string, events: readonly SessionEvent[]): void {
  const acknowledged = Math.max(0, ...notes<{ upTo: number }>(folder, 'acknowledged').map(({ upTo }) => upTo))
  expect(events.length).toBeGreaterThanOrEqual(acknowledged)
  const attempted = new Set(notes<SessionEvent>(folder, 'attempted').map((event) => JSON.stringify(event)))
  for (const [index, event] of events.entries()) {
    expect(event.seq).toBe(index + 1)
    expect(attempted).toContain(JSON.stringify(event))
  }
}

/** What bodies did agrees with the log: the start of one with effects is there before it, and only what may run again did. */
function assertEffects(folder: string, events: readonly SessionEvent[]): void {
  const lives = callLives(events)
  const owners = new Map<string, string>()
  const runs = new Map<string, Effect[]>()
  for (const effect of notes<Effect>(folder, 'effects')) {
    // No two calls share a key, also not one that the crash took from the log and the one that got its number after.
    expect(owners.get(effect.key) ?? effect.callId).toBe(effect.callId)
    owners.set(effect.key, effect.callId)
    if (effect.phase === 'begin') runs.set(effect.callId, [...(runs.get(effect.callId) ?? []), effect])
  }
  for (const begun of runs.values()) {
    const { effects, call, callId } = begun[0] as Effect
    expect(new Set(begun.map(({ key }) => key)).size).toBe(1)
    if (effects === 'none') continue // it waits for nothing: its start, and the call itself, may be lost
    expect(lives.get(call)?.call.data.callId).toBe(callId)
    expect(lives.get(call)?.starts.length).toBeGreaterThanOrEqual(begun.length)
    if (effects === 'unknown') expect(begun).toHaveLength(1)
  }
  const asked = notes<{ key: string }>(folder, 'asked').map(({ key }) => key)
  expect(new Set(asked).size).toBe(asked.length) // the approval of a call covers its next run, too
  for (const { starts, decided } of lives.values()) {
    if (decided.some(({ data }) => data.outcome !== 'allowed-once')) expect(starts).toEqual([])
  }
}

/** The model reads every call with exactly one result, whatever part of the log there is. */
function assertHistory(events: readonly SessionEvent[]): void {
  for (let end = 0; end <= events.length; end++) {
    const calls = events.slice(0, end).flatMap((event) => (isEvent(event, 'tool/call') ? [event.seq] : []))
    const messages = deriveMessages(events.slice(0, end))
    expect(messages.flatMap((message) => (message.role === 'assistant' ? message.calls.map(({ seq }) => seq) : []))).toEqual(calls)
    expect(messages.flatMap((message) => (message.role === 'tool' ? message.results.map(({ seq }) => seq) : []))).toEqual(calls)
  }
}

/** Each call has one result at most, and none is without one but those that may run again. */
function assertRepaired(events: readonly SessionEvent[]): void {
  const results = events.flatMap((event) => (isEvent(event, 'tool/result') ? [event.data.call] : []))
  expect(new Set(results).size).toBe(results.length)
  for (const life of callLives(events).values()) {
    expect(life.result !== undefined || mayRunAgain(life)).toBe(true)
    expect(life.decided).toHaveLength(life.asked.length)
  }
}

/** Open the session as the next process would, twice: the first repairs, the second finds nothing to do. */
async function reopen(folder: string): Promise<void> {
  if ((await rawLog(folder)).length === 0) return
  await withStore(folder, async (store) => {
    const session = await openSession(store, 's')
    expect(session.heldBy).toBeUndefined()
    assertRepaired(session.events)
    const before = [...session.events]
    await session.close()
    const again = await openSession(store, 's')
    expect([again.repaired, again.events]).toEqual([[], before])
    await again.close()
    // What the repair wrote is not the child's: it is noted like everything else.
    for (const event of before) appendFileSync(join(folder, 'attempted'), `${JSON.stringify(event)}\n`)
  })
}

/** How many points a whole run has: kills range over all of them. */
let points: number

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-crash-'))
  points = JSON.parse(await run(folder, { seed: 1 })).points
  rmSync(folder, { recursive: true })
}, 60_000)

test.each(Array.from({ length: SESSIONS }, (_, index) => index + 1))(
  'session %i, killed again and again, keeps what it was told and runs nothing twice',
  async (seed) => {
    const { folder } = workspace()
    const random = randomOf(seed)
    for (let crash = 0; crash < 1 + (seed % 4); crash++) {
      const kill = random() < 0.6 ? { killAt: 1 + Math.floor(random() * points) } : { killAfterMs: random() * 60 }
      await run(folder, { seed: seed * 100 + crash, ...kill })
      const events = await rawLog(folder)
      assertKept(folder, events)
      assertEffects(folder, events)
      assertHistory(events)
      if (random() < 0.5) await reopen(folder)
    }
    await run(folder, { seed })
    const events = await rawLog(folder)
    assertKept(folder, events)
    assertEffects(folder, events)
    assertHistory(events)
    assertRepaired(events)
    expect([...callLives(events).values()].every(({ result }) => result !== undefined)).toBe(true)
  },
  60_000,
)

/** Numbers in [0, 1) that depend on the seed alone. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
