import { describe, expect, test } from 'vitest'
import { call, codeOf, live, rawTool, settleMicrotasks, testRuntime, textOf } from '../../test/fixtures.ts'
import type { ToolDiagnostic } from '../index.ts'
import { createLatch } from '../testing/door.ts'
import { timeoutPolicy } from './timeout.ts'

describe('the timeout policy', () => {
  test('at the deadline the signal fires with a reason, and a body that heeds it ends as TOOL_TIMEOUT', async () => {
    const { runtime, clock } = testRuntime()
    runtime.plugin(timeoutPolicy)
    let reason: unknown
    runtime.tools.register(
      rawTool(
        't',
        async (_args, exec) => {
          await new Promise<void>((resolve) => exec.signal.addEventListener('abort', () => resolve()))
          reason = exec.signal.reason
          throw reason
        },
        { timeoutMs: 100 },
      ),
    )
    const result = runtime.call('t')
    await settleMicrotasks()
    clock.advance(100)
    expect(codeOf(await result)).toBe('TOOL_TIMEOUT')
    expect((reason as DOMException).name).toBe('TimeoutError')
    expect(textOf(await result)).toContain('100 ms')
    expect(clock.pending).toBe(0)
  })

  test('a body that ignores its signal is waited for; its late value is evidence for tools/diagnostic and never reaches the model', async () => {
    const { runtime, clock } = testRuntime()
    runtime.plugin(timeoutPolicy)
    const told: ToolDiagnostic[] = []
    const stalled: string[] = []
    const hold = createLatch()
    runtime.on('tools/diagnostic', (diagnostic) => void told.push(diagnostic))
    runtime.on('tools/stalled', (exec) => void stalled.push(exec.name))
    runtime.tools.register(rawTool('t', async () => (await hold.opened, 'secret late value'), { timeoutMs: 100 }))
    let settled = false
    const result = runtime.call('t').finally(() => {
      settled = true
    })
    await settleMicrotasks()
    clock.advance(100)
    await settleMicrotasks()
    expect(settled).toBe(false)
    clock.advance(5_000)
    expect(stalled).toEqual(['t'])
    hold.open()
    expect(codeOf(await result)).toBe('TOOL_TIMEOUT')
    expect(JSON.stringify(await result)).not.toContain('secret')
    expect(told).toEqual([expect.objectContaining({ kind: 'late-value', tool: 't' })])
  })

  test('a body that settles in time is left alone, and the timer with it', async () => {
    const { runtime, clock } = testRuntime()
    runtime.plugin(timeoutPolicy)
    runtime.tools.register(rawTool('t', async () => 1, { timeoutMs: 100 }))
    expect((await runtime.call('t')).value).toBe(1)
    expect(clock.pending).toBe(0)
  })

  test('the caller’s earlier cancellation is not called a timeout; a later one does not turn a timeout into a cancellation', async () => {
    for (const [first, code] of [
      ['caller', 'ABORTED'],
      ['deadline', 'TOOL_TIMEOUT'],
    ] as const) {
      const { runtime, clock } = testRuntime()
      runtime.plugin(timeoutPolicy)
      const controller = new AbortController()
      const hold = createLatch()
      runtime.tools.register(rawTool('t', async () => (await hold.opened, 1), { timeoutMs: 100 }))
      const result = runtime.call('t', {}, { signal: controller.signal })
      await settleMicrotasks()
      if (first === 'caller') controller.abort()
      clock.advance(100)
      if (first === 'deadline') controller.abort()
      hold.open()
      expect(codeOf(await result)).toBe(code)
    }
  })

  test('defaultMs covers tools without a deadline, maxMs bounds what tools ask for', async () => {
    const { runtime, clock } = testRuntime()
    runtime.plugin(timeoutPolicy, { defaultMs: 50, maxMs: 80 })
    const hold = createLatch()
    const body = async () => hold.opened.then(() => 1)
    runtime.tools.register(rawTool('plain', body, { isConcurrencySafe: () => true }))
    runtime.tools.register(rawTool('greedy', body, { timeoutMs: 1_000, isConcurrencySafe: () => true }))
    const batch = runtime.tools.execute({ calls: [call('plain'), call('greedy')], signal: live })
    await settleMicrotasks()
    clock.advance(80)
    hold.open()
    const { results } = await batch
    expect(results.map(({ result }) => textOf(result).match(/\d+ ms/)?.[0])).toEqual(['50 ms', '80 ms'])
  })

  test('a deadline by name goes before the tool’s own, within maxMs', async () => {
    const { runtime, clock } = testRuntime()
    runtime.plugin(timeoutPolicy, { defaultMs: 50, maxMs: 80, tools: { named: 20, greedy: 500 } })
    const hold = createLatch()
    const body = async () => hold.opened.then(() => 1)
    for (const name of ['named', 'greedy', 'constructor']) {
      runtime.tools.register(rawTool(name, body, { ...(name === 'named' && { timeoutMs: 70 }), isConcurrencySafe: () => true }))
    }
    const batch = runtime.tools.execute({ calls: [call('named'), call('greedy'), call('constructor')], signal: live })
    await settleMicrotasks()
    clock.advance(80)
    hold.open()
    const { results } = await batch
    expect(results.map(({ result }) => textOf(result).match(/\d+ ms/)?.[0])).toEqual(['20 ms', '80 ms', '50 ms'])
  })

  test('a deadline by name that is none is refused, naming it', async () => {
    const { runtime } = testRuntime()
    await expect(Promise.resolve(runtime.plugin(timeoutPolicy, { tools: { slow: 0 } }))).rejects.toThrow('tools.slow')
  })

  test('the deadline is that of the definition that runs, whatever becomes of its registration meanwhile', async () => {
    const { runtime, clock } = testRuntime()
    runtime.plugin(timeoutPolicy)
    const dispose = runtime.tools.register(
      rawTool('t', async (_args, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))), {
        timeoutMs: 100,
      }),
    )
    runtime.on('tools/pre-execute', async (_exec, next) => (dispose(), next()))
    const result = runtime.call('t')
    await settleMicrotasks()
    clock.advance(100)
    expect(codeOf(await result)).toBe('TOOL_TIMEOUT')
  })

  test('a clock that is none fails the call before its body, saying so', async () => {
    const { runtime } = testRuntime()
    runtime.plugin(timeoutPolicy, { defaultMs: 10 })
    let ran = false
    runtime.tools.register(rawTool('t', async () => (ran = true)))
    runtime.provide('clock', { hands: 2 } as never)
    expect(textOf(await runtime.call('t'))).toMatch(/"clock" has no after/)
    expect(ran).toBe(false)
    expect(() => runtime.provide('clock', 'noon' as never)).toThrow(/must be an object/)
  })

  test('a deadline that is no positive number is refused when mounting', async () => {
    const { runtime } = testRuntime()
    await expect(Promise.resolve(runtime.plugin(timeoutPolicy, { defaultMs: -1 }))).rejects.toThrow(/defaultMs/)
  })
})
