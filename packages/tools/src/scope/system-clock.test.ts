import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClock, systemClock } from './system-clock.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('waits longer than one timer can, and can be cancelled in between', () => {
  const month = 30 * 24 * 3_600_000
  let fired = 0
  systemClock.after(month, () => fired++)
  vi.advanceTimersByTime(month - 1)
  expect(fired).toBe(0)
  vi.advanceTimersByTime(1)
  expect(fired).toBe(1)
  const cancel = systemClock.after(month, () => fired++)
  vi.advanceTimersByTime(month - 1)
  cancel()
  vi.advanceTimersByTime(month)
  expect(fired).toBe(1)
})

test('fires an infinite delay never', () => {
  let fired = 0
  systemClock.after(Number.POSITIVE_INFINITY, () => fired++)
  vi.advanceTimersByTime(2 ** 33)
  expect(fired).toBe(0)
})

test("sets each of a long delay's timers as its host wants it", () => {
  const set: number[] = []
  const clock = createClock((callback, delayMs) => {
    set.push(delayMs)
    return setTimeout(callback, delayMs)
  })
  clock.after(3_000_000_000, () => undefined)
  vi.advanceTimersByTime(3_000_000_000)
  expect(set).toEqual([2 ** 31 - 1, 3_000_000_000 - 2 ** 31 + 1])
})
