import { expect, test } from 'vitest'
import { createMemoryStore } from '../log/memory-store.ts'
import { openSession } from '../log/open-session.ts'
import { isGranted } from './grants.ts'

const granted = { tool: 'edit', rule: 'd' }
const entry = { call: 1, by: 'me', ...granted }

test('a grant counts for its tool and rule, however late it is read, and for the agents below', async () => {
  const session = await openSession(createMemoryStore(), 's', { create: true })
  const agent = { id: 'a', session }
  const below = { id: 'c', parent: { id: 'b', parent: agent } }
  expect(isGranted(below, granted)).toBe(false)
  await session.log('approval/granted', entry)
  expect([agent, below, { id: 'other' }, undefined].map((each) => isGranted(each, granted))).toEqual([true, true, false, false])
  expect(
    [
      { ...granted, tool: 'write' },
      { ...granted, rule: 'e' },
    ].map((each) => isGranted(agent, each)),
  ).toEqual([false, false])
})

test('a grant that could not be written was never given', async () => {
  const full = Object.assign(createMemoryStore(), { append: () => Promise.reject(new Error('disk full')) })
  const session = await openSession(full, 's', { create: true })
  const agent = { id: 'a', session }
  const writing = session.log('approval/granted', entry, { durable: true })
  isGranted(agent, granted)
  await expect(writing).rejects.toThrow('disk full')
  expect(isGranted(agent, granted)).toBe(false)
})

test('an agent whose log is not a session of this package has no grants', () => {
  const session = { append: async () => ({ seq: 1 }), events: [{ type: 'approval/granted', data: entry }] }
  expect(isGranted({ id: 'a', session }, granted)).toBe(false)
})
