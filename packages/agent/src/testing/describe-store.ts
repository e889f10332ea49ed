import type { JsonValue } from '@dsh/tools'
import type { TestApi } from '@dsh/tools/testing'
import { EVENT_VERSION, type SessionEvent } from '../log/event.ts'
import { isSessionError } from '../log/session-error.ts'
import type { SessionStore } from '../log/store.ts'

/** Stores to be held to the contract. */
export interface StoresUnderTest {
  readonly store: SessionStore
  /** Another store of the same sessions, as another process would open it. */
  another(): Promise<SessionStore>
  /** Remove what the test left. */
  end(): Promise<void>
}

/** The conformance suite of session stores: what `SessionStore` promises, as tests. @param create - gives stores that hold nothing. */
export function describeStore(api: TestApi, name: string, create: () => Promise<StoresUnderTest>): void {
  const run: Run = (title, body) =>
    api.test(title, async () => {
      const stores = await create()
      try {
        await body(stores)
      } finally {
        await stores.end()
      }
    })
  api.describe(`the store ${name}`, () => {
    describeSessions(api, run)
    describeEvents(api, run)
    describeFidelity(api, run)
    describeRefusals(api, run)
    describeLeases(api, run)
    describeSummaries(api, run)
  })
}

type Run = (title: string, body: (stores: StoresUnderTest) => Promise<void>) => void

function describeSessions({ expect }: TestApi, run: Run): void {
  run('makes a session once', async ({ store }) => {
    await store.create('s', 1)
    expect(await codeOf(store.create('s', 2))).toBe('SESSION_EXISTS')
    expect((await store.find('s')).created).toBe(1)
  })
  run('knows no session that was not made', async ({ store }) => {
    const lease = crypto.randomUUID()
    const attempts = [
      store.find('s'),
      store.read('s', { after: 0, limit: 10 }),
      store.acquire('s'),
      store.delete('s'),
      store.append('s', { lease, expected: 0, events: eventsOf('s', 1, [1]) }),
    ]
    expect(await Promise.all(attempts.map(codeOf))).toEqual(attempts.map(() => 'SESSION_NOT_FOUND'))
    expect(await store.list()).toEqual([])
  })
  run('deletes a session with its events, and one of its name begins anew, for every store', async ({ store, another }) => {
    const lease = await made(store, 's')
    await store.append('s', { lease, expected: 0, events: eventsOf('s', 1, ['old']) })
    await store.release('s', lease)
    const other = await another()
    await other.delete('s')
    expect(await codeOf(store.find('s'))).toBe('SESSION_NOT_FOUND')
    await other.create('t', 5)
    await other.create('s', 5)
    expect(await store.read('s', { after: 0, limit: 10 })).toEqual([])
    const again = await leaseOf(store, 's')
    await store.append('s', { lease: again, expected: 0, events: eventsOf('s', 1, ['new']) })
    expect((await other.read('s', { after: 0, limit: 10 })).map(({ data }) => data)).toEqual(['new'])
    expect(await other.read('t', { after: 0, limit: 10 })).toEqual([])
  })
}

function describeEvents({ expect }: TestApi, run: Run): void {
  run('gives events back as they were written, in order, page by page', async ({ store, another }) => {
    const lease = await made(store, 's')
    const events = eventsOf(
      's',
      1,
      Array.from({ length: 1_100 }, (_, index) => index),
    )
    await store.append('s', { lease, expected: 0, events: events.slice(0, 700) })
    await store.append('s', { lease, expected: 700, events: events.slice(700) })
    for (const each of [store, await another()]) {
      expect(await each.read('s', { after: 0, limit: 2_000 })).toEqual(events)
      expect(await each.read('s', { after: 0, limit: 3 })).toEqual(events.slice(0, 3))
      expect(await each.read('s', { after: 698, limit: 4 })).toEqual(events.slice(698, 702))
      expect(await each.read('s', { after: 1_100, limit: 10 })).toEqual([])
    }
  })
  run('keeps sessions apart', async ({ store }) => {
    const [one, two] = [await made(store, 'one'), await made(store, 'two')]
    await store.append('one', { lease: one, expected: 0, events: eventsOf('one', 1, ['a']) })
    await store.append('two', { lease: two, expected: 0, events: eventsOf('two', 1, ['b', 'c']) })
    expect((await store.read('one', { after: 0, limit: 10 })).map(({ data }) => data)).toEqual(['a'])
    expect((await store.read('two', { after: 0, limit: 10 })).map(({ data }) => data)).toEqual(['b', 'c'])
  })
}

function describeFidelity({ expect }: TestApi, run: Run): void {
  run('keeps any JSON, of any type of event', async ({ store, another }) => {
    const lease = await made(store, 's')
    const data: JsonValue[] = [
      null,
      true,
      -1.5e300,
      '',
      '\u0000 \ud800 "quoted" \n 終わり 😀',
      [],
      {},
      JSON.parse('{"__proto__":1,"constructor":{"x":[]}}'),
      JSON.parse('['.repeat(500) + ']'.repeat(500)),
      'x'.repeat(300_000),
    ]
    await store.append('s', { lease, expected: 0, events: eventsOf('s', 1, data) })
    const read = await (await another()).read('s', { after: 0, limit: 100 })
    expect(read.map((event) => JSON.stringify(event.data))).toEqual(data.map((value) => JSON.stringify(value)))
    expect(read.every(({ type }) => type === 'plugin\'s/"event"')).toBe(true)
  })
  run('keeps the type and the time of an event whatever they are, also times that go back', async ({ store, another }) => {
    const lease = await made(store, 's')
    const types = ['two\nlines', 'a\u0000b', '\ud800', '"quoted"', '終わり 😀', '__proto__']
    const events = types.map((type, index) => ({ ...toEvent('s', index + 1, { type, data: index }), time: 9_000 - index }))
    await store.append('s', { lease, expected: 0, events })
    expect(await (await another()).read('s', { after: 0, limit: 100 })).toEqual(events)
    expect((await store.find('s')).updated).toBe(9_000 - types.length + 1)
  })
  run('keeps the cards of calls and results, and gives them to whoever asks', async ({ store, another }) => {
    const lease = await made(store, 's')
    const view = { card: 'generic', title: 'a "title"' }
    const carded = [callTo('a'), resultOf(1, false), callTo('b')].map(({ type, data }, index) => {
      return toEvent('s', index + 1, { type, data: index < 2 ? { ...(data as object), view } : data })
    })
    const others = eventsOf('s', 4, [{ view: 'of a plugin' }, { view: null }])
    await store.append('s', { lease, expected: 0, events: [...carded, ...others] })
    const bare = [callTo('a'), resultOf(1, false), callTo('b')].map((event, index) => toEvent('s', index + 1, event))
    for (const each of [store, await another()]) {
      expect(await each.read('s', { after: 0, limit: 10, cards: true })).toEqual([...carded, ...others])
      expect(await each.read('s', { after: 0, limit: 10 })).toEqual([...bare, ...others])
    }
  })
}

function describeRefusals({ expect }: TestApi, run: Run): void {
  run('appends only where the log ends, and changes nothing otherwise', async ({ store }) => {
    const lease = await made(store, 's')
    await store.append('s', { lease, expected: 0, events: eventsOf('s', 1, ['a']) })
    const before = await store.find('s')
    expect(await codeOf(store.append('s', { lease, expected: 0, events: eventsOf('s', 1, ['b']) }))).toBe('SESSION_SEQ_CONFLICT')
    expect(await codeOf(store.append('s', { lease, expected: 5, events: eventsOf('s', 6, ['b']) }))).toBe('SESSION_SEQ_CONFLICT')
    expect([await store.find('s'), (await store.read('s', { after: 0, limit: 10 })).map(({ data }) => data)]).toEqual([before, ['a']])
  })
  run('appends nothing without a change', async ({ store }) => {
    const lease = await made(store, 's')
    await store.append('s', { lease, expected: 0, events: eventsOf('s', 1, ['a']) })
    const before = await store.find('s')
    await store.append('s', { lease, expected: 1, events: [] })
    expect(await store.find('s')).toEqual(before)
    expect(await codeOf(store.append('s', { lease, expected: 0, events: [] }))).toBe('SESSION_SEQ_CONFLICT')
  })
  run('appends only with the lease that is that of the session now', async ({ store, another }) => {
    const old = await made(store, 's')
    await store.release('s', old)
    const events = eventsOf('s', 1, ['a'])
    expect(await codeOf(store.append('s', { lease: old, expected: 0, events }))).toBe('SESSION_LEASE_LOST')
    const lease = await leaseOf(await another(), 's')
    expect(await codeOf(store.append('s', { lease: old, expected: 0, events }))).toBe('SESSION_LEASE_LOST')
    expect(await store.read('s', { after: 0, limit: 10 })).toEqual([])
    await store.append('s', { lease, expected: 0, events })
  })
}

function describeLeases({ expect }: TestApi, run: Run): void {
  run('lets one write, and says who it is', async ({ store, another }) => {
    await made(store, 's')
    for (const each of [store, await another()]) {
      const answer = await each.acquire('s')
      expect(answer.kind === 'held' && [answer.holder.pid, typeof answer.holder.host]).toEqual([process.pid, 'string'])
      expect((await each.find('s')).holder?.pid).toBe(process.pid)
    }
  })
  run('gives a lease to exactly one of several who ask at once', async ({ store, another }) => {
    await store.create('s', 1)
    const stores = [store, await another(), await another()]
    const answers = await Promise.all(stores.map((each) => each.acquire('s')))
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['acquired', 'held', 'held'])
  })
  run('gives it again after it was given back, by whoever holds it', async ({ store, another }) => {
    const lease = await made(store, 's')
    const other = await another()
    await other.release('s', crypto.randomUUID())
    expect((await other.acquire('s')).kind).toBe('held')
    await store.release('s', lease)
    expect((await other.find('s')).holder).toBe(undefined)
    expect((await other.acquire('s')).kind).toBe('acquired')
    await store.release('s', lease)
    expect((await store.acquire('s')).kind).toBe('held')
  })
  run('gives back everything when it is closed', async ({ store, another }) => {
    const other = await another()
    await made(other, 'one')
    await made(other, 'two')
    await other.close()
    await other.close()
    expect([(await store.acquire('one')).kind, (await store.acquire('two')).kind]).toEqual(['acquired', 'acquired'])
  })
  run('deletes nothing that somebody writes', async ({ store }) => {
    await made(store, 's')
    expect(await codeOf(store.delete('s'))).toBe('SESSION_HELD')
    expect((await store.find('s')).id).toBe('s')
  })
}

function describeSummaries({ expect }: TestApi, run: Run): void {
  run('counts calls, failures and what is open', async ({ store }) => {
    const lease = await made(store, 's')
    const events = [callTo('a'), callTo('b'), callTo('c'), resultOf(1, false), resultOf(2, true)]
    await store.append('s', { lease, expected: 0, events: events.map((event, index) => toEvent('s', index + 1, event)) })
    await store.release('s', lease)
    expect(await store.find('s')).toEqual({ id: 's', created: 1, updated: 1_005, events: 5, calls: 3, failed: 1, open: 1 })
  })
  run('lists the session with the newest event first, and by the tool that was called', async ({ store }) => {
    for (const [id, tool, seq] of [
      ['old', 'read', 1],
      ['new', 'edit', 3],
      ['mid', 'read', 2],
    ] as const) {
      const lease = await made(store, id)
      const events = Array.from({ length: seq }, (_, index) => toEvent(id, index + 1, callTo(tool)))
      await store.append(id, { lease, expected: 0, events })
    }
    await store.create('empty', 1)
    expect((await store.list()).map(({ id }) => id)).toEqual(['new', 'mid', 'old', 'empty'])
    expect((await store.list({ tool: 'read' })).map(({ id }) => id)).toEqual(['mid', 'old'])
    expect(await store.list({ tool: 'it\'s "odd"' })).toEqual([])
  })
}

/** Make a session and become its writer. @returns the lease. */
async function made(store: SessionStore, id: string): Promise<string> {
  await store.create(id, 1)
  return leaseOf(store, id)
}

async function leaseOf(store: SessionStore, id: string): Promise<string> {
  const answer = await store.acquire(id)
  if (answer.kind !== 'acquired') throw new Error(`The session ${id} is held by ${answer.holder.pid}.`)
  return answer.lease
}

function eventsOf(session: string, first: number, data: readonly JsonValue[]): SessionEvent[] {
  return data.map((each, index) => toEvent(session, first + index, { type: 'plugin\'s/"event"', data: each }))
}

function toEvent(session: string, seq: number, { type, data }: { type: string; data: JsonValue }): SessionEvent {
  return { v: EVENT_VERSION, session, seq, time: 1_000 + seq, type, data }
}

function callTo(name: string): { type: string; data: JsonValue } {
  return { type: 'tool/call', data: { turn: 1, step: 1, callId: 'c', name, arguments: '{}' } }
}

function resultOf(call: number, isError: boolean): { type: string; data: JsonValue } {
  return { type: 'tool/result', data: { call, callId: 'c', isError, content: [] } }
}

/** The code of what something rejects with. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'none'
  } catch (error) {
    return isSessionError(error) ? error.code : String(error)
  }
}
