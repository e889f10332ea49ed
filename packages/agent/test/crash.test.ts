import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { deriveMessages } from '../src/history/derive-messages.ts'
import { type CallLife, callLives, mayRunAgain } from '../src/log/call-life.ts'
import { isEvent, type SessionEvent } from '../src/log/event.ts'
import { openSession } from '../src/log/open-session.ts'
import { type Effect, notesOf, rawLog, runCrash, type WholeRun } from './crash-run.ts'
import { withStore, workspace } from './sqlite-folder.ts'

/** How many sessions are killed, each several times. `npm run soak` sets more. */
const SESSIONS = Number(process.env['DSH_CRASHES'] ?? 10)
const isSoak = SESSIONS > 10

/** Nothing that was acknowledged is lost or changed, and nothing is there that nobody wrote. */
function assertKept(folder: string, events: readonly SessionEvent[]): void {
  for (const event of notesOf(folder, 'acknowledged')) expect(events[event.seq - 1]).toEqual(event)
  const attempted = new Set(notesOf(folder, 'attempted').map((event) => JSON.stringify(event)))
  let time = 0
  for (const [index, event] of events.entries()) {
    expect(event).toMatchObject({ v: 1, session: 's', seq: index + 1 })
    expect(event.time).toBeGreaterThanOrEqual(time)
    expect(attempted).toContain(JSON.stringify(event))
    time = event.time
  }
  const results = new Map([...callLives(events).values()].map(({ call, result }) => [call.data.callId, result?.data]))
  for (const told of notesOf(folder, 'told')) expect(results.get(told.callId)).toMatchObject(told)
}

/** What bodies did agrees with the log: the start of one with effects is there before it, and only what may run again did. */
function assertEffects(folder: string, events: readonly SessionEvent[]): void {
  const lives = callLives(events)
  const effects = notesOf(folder, 'effects')
  const owners = new Map<string, string>()
  const runs = new Map<string, Effect[]>()
  for (const effect of effects) {
    // No two calls share a key, also not one that the crash took from the log and the one that got its number after.
    expect(owners.get(effect.key) ?? effect.callId).toBe(effect.callId)
    owners.set(effect.key, effect.callId)
    if (effect.phase === 'begin') runs.set(effect.callId, [...(runs.get(effect.callId) ?? []), effect])
  }
  for (const begun of runs.values()) {
    const { effects, call, callId } = begun[0] as Effect
    expect(new Set(begun.map(({ attempt }) => attempt)).size).toBe(begun.length)
    // It waits for nothing: its start, and the call itself, may be lost; the model makes it again, and it is another one.
    if (effects === 'none') continue
    expect(new Set(begun.map(({ key }) => key)).size).toBe(1)
    expect(lives.get(call)?.call.data.callId).toBe(callId)
    expect(lives.get(call)?.starts.length).toBeGreaterThanOrEqual(begun.length)
    if (effects === 'unknown') expect(begun).toHaveLength(1)
  }
  const ended = new Set(effects.filter(({ phase }) => phase === 'end').map(({ callId }) => callId))
  for (const life of lives.values()) assertTrue(life, runs.get(life.call.data.callId) ?? [], ended)
}

/** What the log says of a call happened. */
function assertTrue({ result, ...life }: CallLife, begun: readonly Effect[], ended: ReadonlySet<string>): void {
  const { call, decided, starts } = life
  if (result?.data.repaired) expect(mayRunAgain(life)).toBe(false) // it is run again, and not given up
  expect(starts.map(({ data }) => data.attempt)).toEqual(starts.map((_, index) => index + 1))
  if (result?.data.isError === false) expect(ended).toContain(call.data.callId)
  // A body without effects does not wait for the disk: its start, and the approval before it, may be lost, and only those of a crash.
  const withEffects = begun.filter(({ effects }) => effects !== 'none')
  if (result?.data.error?.info?.code === 'TOOL_NOT_STARTED') expect(withEffects).toEqual([])
  const refused = decided.filter(({ data }) => data.outcome !== 'allowed-once')
  if (refused.length > 0) expect([starts, withEffects]).toEqual([[], []])
  if (refused.some(({ data }) => !data.repaired)) expect(begun).toEqual([])
}

/** Nobody is asked twice about one call: its approval covers its next run, too. */
function assertAskedOnce(folder: string): void {
  const asked = notesOf(folder, 'asked').map(({ key }) => key)
  expect(new Set(asked).size).toBe(asked.length)
}

/** The model reads every call with exactly one result, whatever part of the log there is. */
function assertHistory(events: readonly SessionEvent[]): void {
  for (let end = 0; end <= events.length; end++) {
    const calls = events.slice(0, end).flatMap((event) => (isEvent(event, 'tool/call') ? [event.seq] : []))
    const messages = deriveMessages(events.slice(0, end))
    const asked = messages.flatMap((message) =>
      message.role === 'assistant' ? message.content.filter(({ type }) => type === 'tool-call') : [],
    )
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
    expect(asked.map((block) => 'callId' in block && block.callId)).toEqual(results.map(({ callId }) => callId))
    expect(results.flatMap(({ seq }) => seq ?? [])).toEqual(calls)
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
async function assertRepairable(folder: string, before: readonly SessionEvent[]): Promise<void> {
  await withStore(folder, async (store) => {
    expect(await store.find('s')).toMatchObject(summaryOf(before))
    const session = await openSession(store, 's')
    expect(session.heldBy).toBeUndefined()
    await session.close()
    const repaired = await rawLog(folder)
    expect(repaired.slice(0, before.length)).toEqual(before)
    assertRepaired(repaired)
    assertHistory(repaired)
    assertEffects(folder, repaired)
    const again = await openSession(store, 's')
    expect(again.repaired).toEqual([])
    await again.close()
    expect(await rawLog(folder)).toEqual(repaired)
  })
}

/** What has to be so whenever a process was killed. In a copy: the next process finds the files as the kill left them. */
async function assertCrashed(killed: string): Promise<void> {
  const folder = copyOf(killed)
  const events = await rawLog(folder)
  assertKept(folder, events)
  assertEffects(folder, events)
  assertAskedOnce(folder)
  assertHistory(events)
  if (events.length > 0) await assertRepairable(folder, events)
}

/** What a list shows of a log: it is written in the same transactions. */
function summaryOf(events: readonly SessionEvent[]) {
  const calls = events.filter((event) => isEvent(event, 'tool/call'))
  const results = events.filter((event) => isEvent(event, 'tool/result'))
  const failed = results.filter(({ data }) => data.isError)
  return { events: events.length, calls: calls.length, failed: failed.length, open: calls.length - results.length }
}

function copyOf(folder: string): string {
  const copy = workspace().folder
  cpSync(folder, copy, { recursive: true })
  return copy
}

/** What has to be so once a process came to its end: nothing is left open. */
async function assertWhole(folder: string): Promise<void> {
  const events = await rawLog(folder)
  assertKept(folder, events)
  assertEffects(folder, events)
  assertAskedOnce(folder)
  assertHistory(events)
  assertRepaired(events)
  expect([...callLives(events).values()].filter(({ result }) => result === undefined)).toEqual([])
}

/** A run that nobody kills: kills range over all of its points and time. */
let whole: WholeRun

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-crash-'))
  whole = (await runCrash(folder, { seed: 1 })) as WholeRun
  rmSync(folder, { recursive: true })
}, 60_000)

test.each(Array.from({ length: SESSIONS }, (_, index) => index + 1))(
  'session %i, killed again and again, keeps what it was told and runs nothing twice',
  async (seed) => {
    const { folder } = workspace()
    const random = randomOf(seed)
    for (let crash = 0; crash < 1 + (seed % 5); crash++) {
      const points = crash > 0 && random() < 0.3 ? 60 : whole.points // the first sixty: while it repairs and resumes
      const kill = random() < 0.6 ? { killAt: 1 + Math.floor(random() * points) } : { killAfterMs: random() * whole.ms }
      await runCrash(folder, { seed: seed * 100 + crash, ...kill })
      await assertCrashed(folder)
    }
    expect(await runCrash(folder, { seed })).toBeDefined()
    await assertWhole(folder)
  },
  60_000,
)

test('a process that is killed at any point of its repair and of its resume leaves what the next one ends', async () => {
  const { folder } = workspace()
  expect(await runCrash(folder, { seed: 1, batches: 0, killWaiting: 5 })).toBeUndefined()
  await assertCrashed(folder)
  const { phases } = (await runCrash(copyOf(folder), { seed: 1, batches: 0 })) as WholeRun
  const last = phases['work'] as number
  const hit = new Set<string>()
  for (let killAt = 1; killAt <= last; killAt += isSoak ? 1 : 7) {
    const copy = copyOf(folder)
    await runCrash(copy, { seed: 1, batches: 0, killAt })
    hit.add(notesOf(copy, 'phases').at(-1) as string)
    await assertCrashed(copy)
    expect(await runCrash(copy, { seed: 1, batches: 0 })).toBeDefined()
    await assertWhole(copy)
  }
  expect(hit).toContain('open')
  expect(hit).toContain('resume')
}, 300_000)

/** Answers of a model: some steps of calls, and words at the end. */
function writeAnswers(folder: string, seed: number): void {
  const random = randomOf(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const calls = (step: number) =>
    Array.from({ length: 1 + below(5) }, (_, index) => {
      const args = { steps: below(4), parallel: random() < 0.6, ask: random() < 0.3, fail: random() < 0.15, note: random() < 0.2 }
      const name = `do_${['unknown', 'idempotent', 'none'][below(3)]}`
      return { kind: 'tool-call', call: { type: 'tool-call', callId: `c${step}.${index}`, name, arguments: JSON.stringify(args) } }
    })
  const steps = Array.from({ length: 2 + below(3) }, (_, step) => [{ kind: 'text', text: `Step ${step}.` }, ...calls(step)])
  const lines = [...steps, [{ kind: 'text', text: `The end of ${seed}.` }]].map((events, at) =>
    JSON.stringify({
      v: 1,
      at,
      events: [...events, { kind: 'usage', usage: { inputTokens: 1, outputTokens: 1 } }, { kind: 'finish', reason: 'stop' }],
    }),
  )
  writeFileSync(join(folder, 'answers.jsonl'), lines.join('\n'))
}

test.each(Array.from({ length: isSoak ? SESSIONS : 5 }, (_, index) => index + 1))(
  'turn %i of an agent, killed again and again, comes to the end it would have come to',
  async (seed) => {
    const { folder } = workspace()
    writeAnswers(folder, seed)
    const undisturbed = copyOf(folder)
    const whole = (await runCrash(undisturbed, { seed, turn: true })) as WholeRun
    expect(whole.ended).toMatchObject({ outcome: 'answered', text: `The end of ${seed}.` })
    const random = randomOf(seed)
    for (let crash = 0; crash < 1 + (seed % 5); crash++) {
      const points = crash > 0 && random() < 0.3 ? 60 : whole.points // the first sixty: while it repairs and resumes
      const kill = random() < 0.6 ? { killAt: 1 + Math.floor(random() * points) } : { killAfterMs: random() * whole.ms }
      await runCrash(folder, { seed: seed * 100 + crash, turn: true, ...kill })
      await assertCrashed(folder)
    }
    expect(await runCrash(folder, { seed, turn: true })).toBeDefined()
    await assertWhole(folder)
    const events = await rawLog(folder)
    expect(events.filter((event) => isEvent(event, 'turn/start'))).toHaveLength(1)
    expect(events.filter((event) => isEvent(event, 'turn/end')).map(({ data }) => data.outcome)).toEqual(['answered'])
    expect(answersOf(events)).toEqual(answersOf(await rawLog(undisturbed)))
  },
  60_000,
)

/** What the model said, step by step. */
function answersOf(events: readonly SessionEvent[]) {
  return events.filter((event) => isEvent(event, 'assistant/message')).map(({ data }) => data.content)
}

/** Numbers in [0, 1) that depend on the seed alone. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
