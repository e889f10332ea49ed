import { describe, expect, test } from 'vitest'
import { codeOf, rawTool, settleMicrotasks, testRuntime } from '../../test/fixtures.ts'
import { type ToolEffects, ToolError } from '../index.ts'
import { retryPolicy } from './retry.ts'
import { timeoutPolicy } from './timeout.ts'

/** A tool that fails `failures` times, retryable or not. */
function flaky(failures: number, options: { readonly effects?: ToolEffects; readonly retryable?: boolean } = {}) {
  const parts = testRuntime()
  let runs = 0
  const { effects = 'none', retryable = true } = options
  parts.runtime.tools.register(
    rawTool(
      't',
      async () => {
        if (++runs <= failures) throw new ToolError('busy', { code: 'BUSY', retryable })
        return runs
      },
      { effects },
    ),
  )
  return { ...parts, runs: () => runs }
}

describe('the retry policy', () => {
  test('waits with jitter, doubling, and repeats until the body succeeds', async () => {
    const { runtime, clock, runs } = flaky(2)
    runtime.plugin(retryPolicy, { baseDelayMs: 100, random: () => 0.5 })
    const result = runtime.call('t')
    await settleMicrotasks()
    expect(runs()).toBe(1)
    clock.advance(74)
    await settleMicrotasks()
    expect(runs()).toBe(1)
    clock.advance(1)
    await settleMicrotasks()
    expect(runs()).toBe(2)
    clock.advance(150)
    expect((await result).value).toBe(3)
  })

  test('a failure that a wrapper made is never repeated, nor a body whose effects were unknown when the call started', async () => {
    const { runtime } = testRuntime()
    runtime.plugin(retryPolicy, { baseDelayMs: 0 })
    let runs = 0
    const body = async () => {
      runs++
      throw new ToolError('busy', { code: 'BUSY', retryable: true })
    }
    const dispose = runtime.tools.register(rawTool('t', body))
    const swap = runtime.on('tools/pre-execute', async (_exec, next) => {
      dispose()
      runtime.tools.register(rawTool('t', body, { effects: 'idempotent' }))
      return next()
    })
    await runtime.call('t')
    expect(runs).toBe(1)
    swap()
    runtime.on('tools/execute', async () => ({
      isError: true,
      error: { message: 'x', info: { name: 'X', code: 'X', retryable: true } },
      content: [],
    }))
    expect((await runtime.call('t')).error?.info?.retryable).toBeUndefined()
    expect(runs).toBe(1)
  })

  test('is bounded: the last failure is the result', async () => {
    const { runtime, clock, runs } = flaky(10)
    runtime.plugin(retryPolicy, { retries: 3, baseDelayMs: 0 })
    const result = runtime.call('t')
    for (let n = 0; n < 4; n++) {
      await settleMicrotasks()
      clock.advance(0)
    }
    expect(codeOf(await result)).toBe('BUSY')
    expect(runs()).toBe(4)
  })

  test.each<[string, Parameters<typeof flaky>[1]]>([
    ['a tool with unknown effects', { effects: 'unknown' }],
    ['a failure that is not thrown as retryable', { retryable: false }],
  ])('%s is never repeated', async (_what, options) => {
    const { runtime, runs } = flaky(1, options)
    runtime.plugin(retryPolicy)
    expect(codeOf(await runtime.call('t'))).toBe('BUSY')
    expect(runs()).toBe(1)
  })

  test('an idempotent tool is repeated, an invalid output never', async () => {
    const { runtime, clock, runs } = flaky(1, { effects: 'idempotent' })
    runtime.plugin(retryPolicy, { baseDelayMs: 0 })
    const result = runtime.call('t')
    await settleMicrotasks()
    clock.advance(0)
    expect((await result).value).toBe(2)
    expect(runs()).toBe(2)
    let dates = 0
    runtime.tools.register(rawTool('date', async () => (dates++, { at: new Date() }), { effects: 'none' }))
    expect(codeOf(await runtime.call('date'))).toBe('INVALID_TOOL_OUTPUT')
    expect(dates).toBe(1)
  })

  test('the caller’s cancellation ends the wait at once', async () => {
    const { runtime, clock, runs } = flaky(1)
    const controller = new AbortController()
    runtime.plugin(retryPolicy)
    const result = runtime.call('t', {}, { signal: controller.signal })
    await settleMicrotasks()
    controller.abort()
    expect(codeOf(await result)).toBe('BUSY')
    expect(runs()).toBe(1)
    expect(clock.pending).toBe(0)
  })

  test('a deadline around it covers all attempts', async () => {
    const { runtime, clock } = flaky(10)
    runtime.plugin(timeoutPolicy, { defaultMs: 250 })
    runtime.plugin(retryPolicy, { retries: 5, baseDelayMs: 200, random: () => 1 })
    const result = runtime.call('t')
    await settleMicrotasks()
    clock.advance(200)
    await settleMicrotasks()
    clock.advance(50)
    expect(codeOf(await result)).toBe('TOOL_TIMEOUT')
  })
})
