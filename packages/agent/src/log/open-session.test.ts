import { createFakeClock } from '@dsh/tools/testing'
import { describe, expect, test } from 'vitest'
import { callEntry, type Entry, logOf, startEntry } from '../../test/log-of.ts'
import { closeOpenCalls } from '../resume/close-open-calls.ts'
import { importSession } from './import-session.ts'
import { createMemoryStore } from './memory-store.ts'
import { openSession } from './open-session.ts'
import { readEvents } from './read-events.ts'
import type { SessionStore } from './store.ts'

const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type)
const user = (text: string) => ({ source: { kind: 'person', name: 'p' }, content: [{ type: 'text', text }] }) as const
const call = { turn: 1, step: 1, callId: 'c', name: 't', arguments: '{}' } as const
const stored = async (store: SessionStore, id = 's') => store.read(id, { after: 0, limit: 1_000 })

/** A store that holds a session whose process was killed. */
async function killed(...entries: Entry[]): Promise<SessionStore> {
  const store = createMemoryStore()
  await importSession(store, logOf(['session/start', { key: 'k' }], ...entries), 's')
  return store
}

describe('opening a session', () => {
  test('makes it when asked to, with nothing in it', async () => {
    const store = createMemoryStore()
    await expect(openSession(store, 's')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    const session = await openSession(store, 's', { create: true })
    expect(session.events).toEqual([])
    await session.close()
    expect((await openSession(store, 's', { create: true })).heldBy).toBeUndefined()
  })

  test('keys are new each time it is opened, before the first call, and calls keep theirs', async () => {
    const store = createMemoryStore()
    const keys: string[] = []
    for (let time = 1; time <= 2; time++) {
      const session = await openSession(store, 's', { create: true })
      await session.log('user/message', user('hi'))
      const { seq } = await session.log('tool/call', call)
      keys.push(session.keyOf(seq))
      await session.log('tool/call', call)
      await session.close() // the next one repairs both calls
    }
    const session = await openSession(store, 's')
    const start = types(session.events).flatMap((type, index) => (type === 'session/start' ? [index + 1] : []))
    expect(start).toEqual([2, 8])
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}:3$/)
    expect(keys[1]).toMatch(/^[0-9a-f-]{36}:9$/)
    expect(keys[1]?.slice(0, 36)).not.toBe(keys[0]?.slice(0, 36))
    expect([session.keyOf(3), session.keyOf(9)]).toEqual(keys)
  })

  test.each(['', '.hidden', 'a/b', '../x', 'a b', 'x'.repeat(101), 'ü'])('refuses the id %j', async (id) => {
    await expect(openSession(createMemoryStore(), id, { create: true })).rejects.toMatchObject({ code: 'SESSION_ID_INVALID' })
  })

  test('repairs what a killed process left, durably, and only once', async () => {
    const store = await killed(callEntry('a'), callEntry('b'), startEntry(3, 'unknown'), callEntry('c'), ['approval/asked', { call: 5 }])
    const session = await openSession(store, 's')
    expect(session.repaired.map(({ name, code }) => [name, code])).toEqual([
      ['a', 'TOOL_NOT_STARTED'],
      ['b', 'TOOL_OUTCOME_UNKNOWN'],
      ['c', 'TOOL_NOT_STARTED'],
    ])
    const repaired = await stored(store)
    expect(types(repaired.slice(-4))).toEqual(['tool/result', 'tool/result', 'approval/decided', 'tool/result'])
    await session.close()
    const again = await openSession(store, 's')
    expect([again.repaired, await stored(store)]).toEqual([[], repaired])
  })

  test('leaves calls open that may run again, until they are closed', async () => {
    const store = await killed(callEntry('a'), startEntry(2, 'idempotent'))
    const session = await openSession(store, 's')
    expect(session.openCalls.map(({ call }) => call.seq)).toEqual([2])
    await closeOpenCalls(session)
    expect(session.openCalls).toEqual([])
    const last = (await stored(store)).at(-1)
    expect(last).toMatchObject({ type: 'tool/result', data: { call: 2, error: { info: { code: 'TOOL_OUTCOME_UNKNOWN' } } } })
    expect(JSON.stringify(last)).toContain('safe to call it again')
  })

  test('is read-only while another writes it: it can be read, repairs nothing, and says who writes', async () => {
    const store = await killed(callEntry('a'))
    const answer = await store.acquire('s')
    const before = await stored(store)
    const reader = await openSession(store, 's')
    expect(reader.heldBy?.pid).toBe(process.pid)
    expect([reader.repaired, reader.openCalls, reader.events]).toEqual([[], [], before])
    await expect(reader.append({ type: 'x', data: 1 })).rejects.toMatchObject({ code: 'SESSION_HELD' })
    await expect(reader.append({ type: 'x', data: 1 })).rejects.toThrow(`process ${process.pid} on `)
    await reader.close()
    if (answer.kind === 'acquired') await store.release('s', answer.lease)
    expect((await openSession(store, 's')).heldBy).toBeUndefined()
  })
})

describe('appending to a session', () => {
  test('gives dense numbers in the order of the calls, and durable ones are in the store when they settle', async () => {
    const store = createMemoryStore()
    const session = await openSession(store, 's', { create: true })
    const numbers = await Promise.all(['a', 'b', 'c'].map((text) => session.log('user/message', user(text))))
    expect(numbers.map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(await stored(store)).toHaveLength(0)
    await session.log('user/message', user('d'), { durable: true })
    expect(await stored(store)).toEqual(session.events)
    expect(session.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  })

  test('cards go to the store, and are not kept in memory', async () => {
    const store = createMemoryStore()
    const session = await openSession(store, 's', { create: true })
    const view = { card: 'generic', title: 'x' }
    await session.log('tool/call', { ...call, view }, { durable: true })
    expect(session.events.at(-1)?.data).toEqual(call)
    const { events } = await readEvents(store, 's', { cards: true })
    expect(events.at(-1)?.data).toEqual({ ...call, view })
  })

  test('time never goes back, although the clock does', async () => {
    const clock = createFakeClock(5_000)
    const store = createMemoryStore()
    const session = await openSession(store, 's', { create: true, clock })
    await session.append({ type: 'x', data: 1 })
    await session.close()
    const earlier = await openSession(store, 's', { clock: createFakeClock(1_000) })
    await earlier.append({ type: 'x', data: 2 })
    expect(earlier.events.map(({ time }) => time)).toEqual([5_000, 5_000])
  })

  test('refuses what is no lossless JSON, and nothing of it is kept', async () => {
    const session = await openSession(createMemoryStore(), 's', { create: true })
    await expect(session.append({ type: 'x', data: { at: new Date(0) } as never })).rejects.toThrow('$.at')
    await expect(session.append({ type: '', data: 1 })).rejects.toThrow('type')
    expect(session.events).toEqual([])
  })

  test('a write that fails ends the session: the log is what the store has', async () => {
    const store = createMemoryStore()
    const session = await openSession(store, 's', { create: true })
    store.append = async () => {
      throw new Error('no space left on device')
    }
    await session.append({ type: 'x', data: 1 })
    await expect(session.append({ type: 'x', data: 2 }, { durable: true })).rejects.toMatchObject({ code: 'SESSION_WRITE_FAILED' })
    expect(session.events).toEqual([])
    await expect(session.append({ type: 'x', data: 3 })).rejects.toThrow('no space left on device')
    await expect(session.close()).rejects.toMatchObject({ code: 'SESSION_WRITE_FAILED' })
  })

  test('a writer whose lease was taken over learns it and writes nothing', async () => {
    const store = createMemoryStore()
    const session = await openSession(store, 's', { create: true })
    const append = store.append.bind(store)
    store.append = (id, batch) => append(id, { ...batch, lease: 'old' })
    await expect(session.append({ type: 'x', data: 1 }, { durable: true })).rejects.toMatchObject({ code: 'SESSION_LEASE_LOST' })
    expect(await stored(store)).toEqual([])
  })
})

describe('closing a session', () => {
  test('writes what is left, lets others write, and takes nothing more', async () => {
    const store = createMemoryStore()
    const session = await openSession(store, 's', { create: true })
    await session.append({ type: 'x', data: 1 })
    await session.close()
    await session.close()
    expect(await stored(store)).toHaveLength(1)
    await expect(session.append({ type: 'x', data: 2 })).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
    expect((await openSession(store, 's')).heldBy).toBeUndefined()
  })
})

test('the last turn is that of the last call or message', async () => {
  const session = await openSession(createMemoryStore(), 's', { create: true })
  expect(session.lastTurn).toBe(0)
  await session.log('tool/call', { turn: 3, step: 1, callId: 'c', name: 't', arguments: '{}' })
  await session.log('user/message', user('hi'))
  expect(session.lastTurn).toBe(3)
})

describe('importing a session', () => {
  test('keeps its events, and gives later calls keys of their own while earlier ones keep theirs', async () => {
    const store = await killed(callEntry('a'), startEntry(2, 'idempotent'))
    const session = await openSession(store, 's')
    const { seq } = await session.log('tool/call', call)
    expect(session.keyOf(2)).toBe('k:2')
    expect(session.keyOf(seq)).toMatch(/^[0-9a-f-]{36}:5$/)
  })

  test('an id that is there is refused and left as it is; a store that cannot take it keeps nothing', async () => {
    const store = await killed(callEntry('a'))
    const before = await stored(store)
    await expect(importSession(store, logOf(callEntry('b')), 's')).rejects.toMatchObject({ code: 'SESSION_EXISTS' })
    expect(await stored(store)).toEqual(before)
    store.append = async () => {
      throw new Error('no space')
    }
    await expect(importSession(store, logOf(callEntry('b')), 't')).rejects.toThrow('no space')
    await expect(store.find('t')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect(importSession(store, [])).rejects.toMatchObject({ code: 'SESSION_LOG_BROKEN' })
  })
})
