import { describe, expect, test } from 'vitest'
import { call, codeOf, live, rawTool, settleMicrotasks, testRuntime } from '../../test/fixtures.ts'
import type { Agent, ToolBatchExecutionError, ToolDefinition } from '../index.ts'
import { ToolError } from '../outcome/tool-error.ts'
import { retryPolicy } from '../policies/retry.ts'
import { createLatch, type Latch } from '../testing/door.ts'
import { digestOf } from '../tool/digest.ts'

interface Appended {
  readonly type: string
  readonly data: any
  readonly durable: boolean
}

/** A runtime whose agent logs to a list. `disk` settles the durable appends; without it they settle at once. */
function logged(options: { disk?: Latch; fail?: (event: Appended) => boolean } = {}) {
  const { runtime, clock } = testRuntime()
  const events: Appended[] = []
  const agent: Agent = {
    id: 'logged',
    session: {
      keyOf: (seq) => `key-${seq}`,
      async append({ type, data }, { durable = false } = {}) {
        const event = { type, data, durable }
        if (options.fail?.(event)) throw new Error('disk full')
        const seq = events.push(event)
        if (durable) await options.disk?.opened
        return { seq }
      },
    },
  }
  runtime.child(agent)
  const run = (names: readonly string[], resumed?: readonly { seq: number; attempts: number }[]) =>
    runtime.tools.execute({
      calls: names.map((name, index) => call(name, { index }, `id-${index}`)),
      signal: live,
      agent,
      log: { turn: 2, step: 3, ...(resumed && { resumed }) },
    })
  const add = (name: string, execute: ToolDefinition['execute'], extra: Partial<ToolDefinition> = {}) =>
    runtime.tools.register(rawTool(name, execute, extra))
  return { runtime, clock, events, agent, run, add }
}

const types = (events: readonly Appended[]) => events.map(({ type }) => type)

describe('the life of a call in the log', () => {
  test('is call, start and result: the start names attempt, effects and definition, and is correlated by seq', async () => {
    const { runtime, events, run, add } = logged()
    add('t', async () => 1, { effects: 'idempotent' })
    await run(['t'])
    expect(types(events)).toEqual(['tool/call', 'tool/start', 'tool/result'])
    expect(events[0]?.data).toEqual({ turn: 2, step: 3, callId: 'id-0', name: 't', arguments: '{"index":0}' })
    const definition = await digestOf(runtime.tools.get('t') as ToolDefinition)
    expect(events[1]).toEqual({ type: 'tool/start', data: { call: 1, attempt: 1, effects: 'idempotent', definition }, durable: true })
    expect(events[2]?.data).toEqual({ call: 1, callId: 'id-0', isError: false, content: [{ type: 'text', text: '1' }] })
  })

  test('a call that is refused before its body has no start', async () => {
    const { runtime, events, run, add } = logged()
    add('t', async () => 1)
    runtime.on('tools/pre-execute', async () => ({ kind: 'deny', reason: 'no' }))
    await run(['t', 'unknown'])
    expect(types(events)).toEqual(['tool/call', 'tool/result', 'tool/call', 'tool/result'])
  })

  test('contexts and the conclusion of the turn are kept with the result', async () => {
    const { events, run, add } = logged()
    const context = { source: { kind: 'plugin', name: 'p' }, content: [{ type: 'text', text: 'note' }] } as const
    add('t', async (_args, exec) => {
      exec.deferContext(context)
      exec.concludeTurn()
      return 1
    })
    await run(['t'])
    expect(events[2]?.data).toMatchObject({ contexts: [context], concludesTurn: true })
  })

  test('each attempt of a retried body has its start', async () => {
    const { runtime, clock, events, run, add } = logged()
    await runtime.plugin(retryPolicy, { baseDelayMs: 1, random: () => 0 })
    let attempts = 0
    const keys: unknown[] = []
    add(
      't',
      async (_args, exec) => {
        keys.push(exec.idempotencyKey)
        if (++attempts === 1) throw new ToolError('again', { code: 'BUSY', retryable: true })
        return 1
      },
      { effects: 'idempotent' },
    )
    const batch = run(['t'])
    while (clock.pending === 0) await settleMicrotasks()
    clock.advance(10)
    await batch
    expect(events.filter(({ type }) => type === 'tool/start').map(({ data }) => data.attempt)).toEqual([1, 2])
    expect(keys).toEqual(['key-1', 'key-1'])
  })
})

describe('what waits for the disk', () => {
  test('a body with effects does not begin before its start is durable; one without effects does', async () => {
    const disk = createLatch()
    const { run, add } = logged({ disk })
    const begun: string[] = []
    const body = async (_args: unknown, exec: { name: string }) => begun.push(exec.name)
    const parallel = { isConcurrencySafe: () => true }
    add('pure', body, { effects: 'none', ...parallel })
    add('keyed', body, { effects: 'idempotent', ...parallel })
    add('unsure', body, parallel)
    const batch = run(['keyed', 'unsure', 'pure'])
    while (begun.length === 0) await settleMicrotasks()
    await settleMicrotasks()
    expect(begun).toEqual(['pure'])
    disk.open()
    await batch
    expect(begun.toSorted()).toEqual(['keyed', 'pure', 'unsure'])
  })

  test('the batch settles when its results are durable, and the next call does not wait for them', async () => {
    const disk = createLatch()
    const { events, run, add } = logged({ disk })
    add('t', async () => 1, { effects: 'none' })
    let settled = false
    const batch = run(['t', 't']).then((result) => {
      settled = true
      return result
    })
    while (events.length < 6) await settleMicrotasks()
    await settleMicrotasks()
    expect(settled).toBe(false)
    disk.open()
    expect((await batch).results).toHaveLength(2)
    expect(events.filter(({ type }) => type === 'tool/result').every(({ durable }) => durable)).toBe(true)
  })

  test('a caller who leaves while the start is being written finds a body that never began', async () => {
    const disk = createLatch()
    const { runtime, agent, events, add } = logged({ disk })
    let ran = false
    add('t', async () => (ran = true))
    const controller = new AbortController()
    const batch = runtime.tools.execute({ calls: [call('t')], signal: controller.signal, agent, log: { turn: 1, step: 1 } })
    while (!types(events).includes('tool/start')) await settleMicrotasks()
    controller.abort()
    disk.open()
    const { results } = await batch
    expect([codeOf(results[0]!.result), ran]).toEqual(['ABORTED_BEFORE_DISPATCH', false])
  })
})

describe('a log that cannot be written', () => {
  test('keeps a body with effects from beginning, whatever its wrappers make of it, and the batch is broken', async () => {
    const { runtime, run, add } = logged({ fail: ({ type }) => type === 'tool/start' })
    let ran = false
    add('t', async () => (ran = true))
    runtime.on('tools/execute', async (_exec, next) => {
      const result = await next()
      return result.isError ? { isError: false, value: 'fine', content: [] } : result
    })
    const error = (await run(['t', 't']).catch((thrown: unknown) => thrown)) as ToolBatchExecutionError
    expect([error.name, ran]).toEqual(['ToolBatchExecutionError', false])
    expect((error.cause as Error).message).toBe('disk full')
    expect(error.missing.map(({ bodyStarted }) => bodyStarted)).toEqual([false, false])
  })

  test('a result that was not written is missing, and so are those after it', async () => {
    let results = 0
    const { run, add } = logged({ fail: ({ type }) => type === 'tool/result' && ++results === 2 })
    add('t', async () => 1, { effects: 'none', isConcurrencySafe: () => true })
    const error = (await run(['t', 't', 't']).catch((thrown: unknown) => thrown)) as ToolBatchExecutionError
    expect(error.results.map(({ callId }) => callId)).toEqual(['id-0'])
    expect(error.missing.map(({ index }) => index)).toEqual([1, 2])
  })
})

describe('cards in the log', () => {
  const card = (title: string) => ({ card: 'generic', title }) as const

  test('calls and results carry the card that their presenters made', async () => {
    const { events, run, add } = logged()
    add('t', async () => 1, {
      presentCall: (args) => card(JSON.stringify(args)),
      presentResult: (args, result) => card(`${JSON.stringify(args)} ${JSON.stringify(result)}`),
    })
    await run(['t'])
    expect(events[0]?.data.view).toEqual(card('{"index":0}'))
    const durable = { isError: false, content: [{ type: 'text', text: '1' }] }
    expect(events[2]?.data.view.title).toBe(`{"index":0} ${JSON.stringify(durable)}`)
  })

  test('a card of 64 KB is kept and a larger one left out; bytes count, not characters', async () => {
    const { events, run, add } = logged()
    const around = JSON.stringify(card('')).length
    const fits = 'x'.repeat(64 * 1024 - around)
    add('t', async () => 1, { presentCall: () => card(fits), presentResult: () => card(`${fits}x`) })
    add('wide', async () => 1, { presentCall: () => card('字'.repeat(22_000)) })
    await run(['t', 'wide'])
    expect(events[0]?.data.view.title).toHaveLength(fits.length)
    expect(events[2]?.data.view).toBeUndefined()
    expect(events[3]?.data.view).toBeUndefined()
  })

  test('a presenter that throws or makes no JSON costs its card alone', async () => {
    const { events, run, add } = logged()
    add('t', async () => 1, {
      presentCall: () => {
        throw new Error('no')
      },
      presentResult: () => ({ card: 'generic', title: 1n }) as never,
    })
    const { results } = await run(['t'])
    expect(results[0]?.result.isError).toBe(false)
    expect([events[0]?.data, events[2]?.data].map((data) => 'view' in data)).toEqual([false, false])
  })

  test('arguments that cannot be parsed have no card', async () => {
    const { runtime, agent, events, add } = logged()
    let asked = false
    add('t', async () => 1, {
      presentCall() {
        asked = true
        return undefined
      },
    })
    await runtime.tools.execute({ calls: [call('t', '{')], signal: live, agent, log: { turn: 1, step: 1 } })
    expect([types(events), asked]).toEqual([['tool/call', 'tool/result'], false])
  })
})

describe('a call that is in the log already', () => {
  test('is not logged again: it keeps its seq and its key, and its attempts go on', async () => {
    const { events, run, add } = logged()
    const seen: unknown[] = []
    add('t', async (_args, exec) => seen.push([exec.callSeq, exec.idempotencyKey]), { effects: 'idempotent' })
    await run(['t'], [{ seq: 40, attempts: 2 }])
    expect(types(events)).toEqual(['tool/start', 'tool/result'])
    expect(events[0]?.data).toMatchObject({ call: 40, attempt: 3 })
    expect(events[1]?.data).toMatchObject({ call: 40 })
    expect(seen).toEqual([[40, 'key-40']])
  })
})

test('a call without a log has neither seq nor key', async () => {
  const { runtime, agent, add } = logged()
  let seen: unknown
  add('t', async (_args, exec) => {
    seen = [exec.callSeq, exec.idempotencyKey, 'callSeq' in exec]
    return 1
  })
  await runtime.tools.execute({ calls: [call('t')], signal: live, agent })
  expect(seen).toEqual([undefined, undefined, false])
})

test('the digest of a definition changes with what it promises, and with nothing else', async () => {
  const tool = rawTool('t', async () => 1)
  const digest = await digestOf(tool)
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  expect(await digestOf(rawTool('t', async () => 2))).toBe(digest)
  expect(await digestOf({ ...tool, effects: 'unknown' })).toBe(digest)
  const others = [
    { ...tool, name: 'u' },
    { ...tool, description: 'other' },
    { ...tool, effects: 'none' as const },
    { ...tool, parameters: { type: 'object' as const, required: ['a'] } },
    { ...tool, output: { ...tool.output, schema: { type: 'string' as const } } },
  ]
  for (const other of others) expect(await digestOf(other)).not.toBe(digest)
})
