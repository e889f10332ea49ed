import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byCodeUnit, KeepSmallest } from './keep-smallest.ts'

test('whatever the order, the smallest are kept, sorted', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 80 }), fc.integer({ min: 1, max: 12 }), (items, limit) => {
      const kept = new KeepSmallest(limit, byCodeUnit)
      for (const item of items) kept.add(item)
      expect(kept.sorted()).toEqual(items.toSorted(byCodeUnit).slice(0, limit))
    }),
  )
})

test('once enough are smaller, an item is not wanted', () => {
  const kept = new KeepSmallest(2, byCodeUnit)
  for (const item of ['b', 'a', 'd', 'c']) kept.add(item)
  expect([kept.wants('z'), kept.wants('0')]).toEqual([false, true])
})
