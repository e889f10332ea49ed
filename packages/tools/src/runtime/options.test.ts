import { describe, expect, test, vi } from 'vitest'
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
