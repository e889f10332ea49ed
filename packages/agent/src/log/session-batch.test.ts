import { expect, test } from 'vitest'
import { sessionRuntime, tool } from '../../test/tools.ts'
import { deriveMessages } from '../history/derive-messages.ts'
import { createMemoryStore } from './memory-store.ts'
import { openSession } from './open-session.ts'
import type { SessionStore } from './store.ts'

const parallel = { isConcurrencySafe: () => true }

/** A store, and the groups in which events were written to it. */
function counted(): { readonly store: SessionStore; readonly groups: string[][] } {
  const store = createMemoryStore()
  const groups: string[][] = []
  const append = store.append.bind(store)
  store.append = (id, batch) => {
    groups.push(batch.events.map(({ type }) => type))
    return append(id, batch)
  }
  return { store, groups }
}

test('calls that become ready together share one flush for their starts, and one for their results', async () => {
  const { store, groups } = counted()
  const session = await openSession(store, 's', { create: true })
  const { run } = sessionRuntime(
    session,
    tool('work', async () => 1, parallel),
  )
  await run(Array.from({ length: 8 }, () => 'work'))
  expect(groups.map((types) => types.filter((type) => type === 'tool/start').length)).toEqual([8, 0])
  expect(groups[1]).toEqual(Array.from({ length: 8 }, () => 'tool/result'))
})

test('calls that run alone need one flush each: the result of one goes with the start of the next', async () => {
  const { store, groups } = counted()
  const session = await openSession(store, 's', { create: true })
  const { run } = sessionRuntime(
    session,
    tool('work', async () => 1),
  )
  await run(['work', 'work', 'work'])
  expect(groups).toHaveLength(4)
  expect(groups[1]).toEqual(['tool/result', 'tool/call', 'tool/start'])
})

test('bodies without effects wait for no flush at all', async () => {
  const { store, groups } = counted()
  const session = await openSession(store, 's', { create: true })
  const { run } = sessionRuntime(
    session,
    tool('look', async () => groups.length, { effects: 'none' }),
  )
  const { results } = await run(['look', 'look'])
  expect(results.map(({ result }) => result.value)).toEqual([0, 0])
  expect(groups).toHaveLength(1)
})

test('a batch that is cancelled leaves every call with its result in the log', async () => {
  const session = await openSession(createMemoryStore(), 's', { create: true })
  const controller = new AbortController()
  const { run } = sessionRuntime(
    session,
    tool('stop', async () => controller.abort()),
    tool('work', async () => 1),
  )
  await run(['work', 'stop', 'work'], controller.signal)
  const [, answers] = deriveMessages(session.events)
  expect(answers).toMatchObject({ role: 'tool', results: [{ isError: false }, { isError: true }, { isError: true }] })
  expect(session.openCalls).toEqual([])
})
