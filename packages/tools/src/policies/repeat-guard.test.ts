import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call, codeOf, live, rawTool, testRuntime, textOf } from '../../test/fixtures.ts'
import { ToolExecutionPipeline } from '../executor/door.ts'
import { type Agent, toToolCallId } from '../index.ts'
import { callDigest } from './call-digest.ts'
import { type RepeatGuardConfig, repeatGuard } from './repeat-guard.ts'

async function setUp(config?: RepeatGuardConfig) {
  const { runtime } = testRuntime()
  await runtime.plugin(repeatGuard, config)
  for (const name of ['look', 'other', 'job_output']) runtime.tools.register(rawTool(name, async () => 1, { effects: 'none' }))
  for (const name of ['change', 'write']) runtime.tools.register(rawTool(name, async () => 1))
  const agent: Agent = { id: 'a' }
  /** What became of a call: `ok`, `reminded`, or its code. */
  const ask = async (name: string, args: object = {}, by: Agent | undefined = agent) => {
    const result = await runtime.call(name, args, by && { agent: by })
    return codeOf(result) ?? (result.additionalContexts === undefined ? 'ok' : 'reminded')
  }
  const times = async (count: number, name: string, args?: object) => {
    const became: string[] = []
    for (let at = 0; at < count; at++) became.push(await ask(name, args))
    return became
  }
  return { runtime, agent, ask, times }
}

const REFUSED = 'REPEATED_CALL'
const EIGHT = ['ok', 'ok', 'reminded', 'ok', 'reminded', 'ok', 'ok', REFUSED]

describe('the repeat guard', () => {
  test('reminds at the third and fifth of the same call, and refuses from the eighth on', async () => {
    const { times } = await setUp()
    expect(await times(10, 'look', { a: 1 })).toEqual([...EIGHT, REFUSED, REFUSED])
  })

  test('says how often, and the way out', async () => {
    const { runtime, agent, times } = await setUp()
    await times(2, 'look')
    expect(JSON.stringify((await runtime.call('look', {}, { agent })).additionalContexts)).toContain('3 times')
    await times(4, 'look')
    expect(textOf(await runtime.call('look', {}, { agent }))).toMatch(/8th time.*other arguments/)
  })

  test('a call that changes something begins the count of others anew, but not its own', async () => {
    const { ask, times } = await setUp()
    await times(7, 'look')
    expect(await ask('change')).toBe('ok')
    expect(await times(8, 'look')).toEqual(EIGHT)
    const { times: again } = await setUp()
    expect(await again(8, 'write', { same: true })).toEqual(EIGHT)
  })

  test('other calls that change nothing leave the count as it is, and so do other arguments', async () => {
    const { ask, times } = await setUp()
    await times(7, 'look')
    expect([await ask('other'), await ask('look', { a: 1 }), await ask('look')]).toEqual(['ok', 'ok', REFUSED])
  })

  test('the order of keys makes no difference, at any depth', async () => {
    const { ask, times } = await setUp()
    await times(7, 'look', { a: { x: 1, y: [2] }, b: 0 })
    expect(await ask('look', { b: 0, a: { y: [2], x: 1 } })).toBe(REFUSED)
  })

  test('agents are counted apart; calls without one are not counted', async () => {
    const { ask, times, runtime } = await setUp()
    await times(7, 'look')
    expect(await ask('look', {}, { id: 'a' })).toBe('ok')
    for (let at = 0; at < 10; at++) expect(codeOf(await runtime.call('look'))).toBeUndefined()
  })

  test('equal calls of one batch count one after another', async () => {
    const { runtime, agent } = await setUp()
    const calls = Array.from({ length: 8 }, () => call('look', { a: 1 }))
    const { results } = await runtime.tools.execute({ calls, agent, signal: live })
    expect(results.map(({ result }) => codeOf(result) ?? 'ok')).toEqual([...Array(7).fill('ok'), REFUSED])
  })

  test('tools that wait are exempt, and the calls of a program', async () => {
    const { runtime, agent, times } = await setUp()
    expect(new Set(await times(10, 'job_output'))).toEqual(new Set(['ok']))
    const pipeline = new ToolExecutionPipeline(runtime)
    const input = { callId: toToolCallId('c:ptc:1'), name: 'look', arguments: {}, parent: Symbol('run') as never, signal: live, agent }
    for (let at = 0; at < 10; at++) expect(codeOf(await pipeline.execute(input))).toBeUndefined()
  })

  test('the hundred last different calls are remembered, and no more', async () => {
    const { ask, times } = await setUp()
    await times(7, 'look')
    for (let index = 0; index < 99; index++) await ask('other', { index })
    expect(await ask('look')).toBe(REFUSED)
    for (let index = 0; index < 100; index++) await ask('other', { index })
    expect(await ask('look')).toBe('ok')
  })

  test('the numbers and the exempt tools can be set, and nonsense is refused', async () => {
    const { ask, times } = await setUp({ remindAt: [2], refuseAt: 3, exempt: ['look'] })
    expect(await times(3, 'other')).toEqual(['ok', 'reminded', REFUSED])
    for (let at = 0; at < 5; at++) expect(await ask('look')).toBe('ok')
    for (const config of [{ refuseAt: 1 }, { remindAt: [2.5] }]) await expect(setUp(config)).rejects.toThrow('repeat guard')
  })
})

test('equal arguments have one digest, different ones have different digests, and none is long', () => {
  const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)))
  const sorted = (value: unknown): string =>
    JSON.stringify(value, (_, part) =>
      part && typeof part === 'object' && !Array.isArray(part) ? Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)) : part,
    )
  fc.assert(
    fc.property(json, json, (a, b) => {
      if (sorted(a) !== sorted(b)) expect(callDigest('t', a)).not.toBe(callDigest('t', b))
      expect(callDigest('t', structuredClone(a))).toBe(callDigest('t', a))
      expect(callDigest('t', a)).not.toBe(callDigest('u', a))
      expect(callDigest('t', a).length).toBeLessThan(250)
    }),
  )
  const long = 'x'.repeat(1_000_000)
  expect(callDigest('t', [`${long}a`])).not.toBe(callDigest('t', [`${long}b`]))
  expect(
    callDigest(
      't',
      Array.from({ length: 300_000 }, () => 0),
    ).length,
  ).toBeLessThan(250)
  let deep: never[] = []
  for (let depth = 0; depth < 100_000; depth++) deep = [deep as never]
  expect(callDigest('t', deep).length).toBeLessThan(250)
})
