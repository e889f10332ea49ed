import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRuntime } from '../index.ts'
import { toSettings } from './options.ts'

describe('options', () => {
  test.each([
    [{ limits: { maxValueBytes: 0 } }, /limits\.maxValueBytes/],
    [{ limits: { stallWarningMs: Number.NaN } }, /limits\.stallWarningMs/],
    [{ scheduling: { maxParallelToolCalls: 1.5 } }, /scheduling\.maxParallelToolCalls/],
    [{ services: {} as never }, /services must be a function/],
  ])('%j is a TypeError that names the option', (options, message) => {
    expect(() => createRuntime(options)).toThrow(message)
  })

  test('warnings and errors go to the console by default', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const { logger } = toSettings({})
    logger.debug('a')
    logger.info('b')
    logger.warn('c', 1)
    logger.error('d')
    expect([warn.mock.calls, error.mock.calls]).toEqual([[['c', 1]], [['d']]])
  })
})

describe("the system's clock", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('waits longer than one timer can, and can be cancelled in between', () => {
    const { clock } = toSettings({})
    const month = 30 * 24 * 3_600_000
    let fired = 0
    clock.after(month, () => fired++)
    vi.advanceTimersByTime(month - 1)
    expect(fired).toBe(0)
    vi.advanceTimersByTime(1)
    expect(fired).toBe(1)
    const cancel = clock.after(month, () => fired++)
    vi.advanceTimersByTime(month - 1)
    cancel()
    vi.advanceTimersByTime(month)
    expect(fired).toBe(1)
  })

  test('fires an infinite delay never', () => {
    let fired = 0
    toSettings({}).clock.after(Number.POSITIVE_INFINITY, () => fired++)
    vi.advanceTimersByTime(2 ** 33)
    expect(fired).toBe(0)
  })
})
