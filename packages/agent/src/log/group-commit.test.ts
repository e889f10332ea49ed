import { createFakeClock, createLatch, type Latch } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { callEntry, logOf } from '../../test/log-of.ts'
import type { SessionEvent } from './event.ts'
import { GroupCommit } from './group-commit.ts'

const [one, two, three] = logOf(callEntry('a'), callEntry('b'), callEntry('c')) as [SessionEvent, SessionEvent, SessionEvent]
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function commit(written: (events: readonly SessionEvent[]) => Promise<void> = async () => undefined) {
  const clock = createFakeClock()
  const groups: number[][] = []
  const group = new GroupCommit(async (events) => {
    groups.push(events.map(({ seq }) => seq))
    await written(events)
  }, clock)
  return { clock, groups, group }
}

test('what becomes ready in one turn of the event loop shares a write, whoever waits for it', async () => {
  const { groups, group } = commit()
  group.add(one)
  const first = group.flush()
  await Promise.resolve()
  group.add(two)
  await Promise.all([first, group.flush()])
  expect(groups).toEqual([[1, 2]])
})

test('what comes while a group is written waits for the next write, and its order is kept', async () => {
  const gates: Latch[] = []
  const { groups, group } = commit(() => {
    const gate = createLatch()
    gates.push(gate)
    return gate.opened
  })
  group.add(one)
  const first = group.flush()
  while (gates.length < 1) await turn()
  group.add(two)
  const second = group.flush()
  group.add(three)
  await turn()
  await turn()
  expect(groups).toEqual([[1]])
  gates[0]?.open()
  await first
  while (gates.length < 2) await turn()
  expect(groups).toEqual([[1], [2, 3]])
  gates[1]?.open()
  await second
})

test('an event that nobody waits for is written soon all the same', async () => {
  const { clock, groups, group } = commit()
  group.add(one)
  await turn()
  expect(groups).toEqual([])
  clock.advance(100)
  await turn()
  await turn()
  expect(groups).toEqual([[1]])
  expect(clock.pending).toBe(0)
})

test('with nothing to write, a flush waits for what is being written and no more', async () => {
  const { groups, group } = commit()
  await group.flush()
  group.add(one)
  void group.flush()
  await group.flush()
  expect(groups).toEqual([[1]])
})

test('a write that fails is told to everybody who waits, and to everybody after: nothing more is written', async () => {
  const { groups, group } = commit(async () => {
    throw new Error('disk full')
  })
  group.add(one)
  const waiting = [group.flush(), group.flush()]
  for (const each of waiting) await expect(each).rejects.toThrow('disk full')
  group.add(two)
  await expect(group.flush()).rejects.toThrow('disk full')
  expect(groups).toEqual([[1]])
})
