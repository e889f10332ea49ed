import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codeOf, live, rawTool, settleMicrotasks, testRuntime, textOf } from '../../test/fixtures.ts'
import type { ResultStore, TextKeeper } from '../contract/ports.ts'
import { ToolExecutionPipeline, waterfall } from '../executor/door.ts'
import { type ToolDiagnostic, toToolCallId } from '../index.ts'
import { headOf, tailOf, utf8Bytes } from './cut-text.ts'
import { shapeOf } from './shape.ts'
import { spillPolicy } from './spill.ts'

/** A store that keeps what it is given in plain sight. */
function openStore() {
  const kept: { value?: unknown; text: string; tool: string }[] = []
  const store = {
    keep: async ({ value, text = '', tool }) => `locator-${kept.push({ value, text, tool })}`,
    async keepText({ tool }): Promise<TextKeeper> {
      let text = ''
      const append = async (bytes: Uint8Array) => {
        text += new TextDecoder().decode(bytes)
      }
      return { append, end: async () => `locator-${kept.push({ text, tool })}`, discard: async () => undefined }
    },
  } as Pick<ResultStore, 'keep' | 'keepText'> as ResultStore
  return { kept, store }
}

async function setUp(store?: ResultStore) {
  const { runtime, clock } = testRuntime()
  const told: ToolDiagnostic[] = []
  runtime.on('tools/diagnostic', (diagnostic) => void told.push(diagnostic))
  if (store) runtime.provide('results', store)
  await runtime.plugin(spillPolicy)
  return { runtime, told, clock }
}

/** A store that takes nothing. */
function brokenKeeper(discard: () => Promise<void>) {
  const refuse = (): Promise<never> => Promise.reject(new Error('full'))
  return {
    keep: refuse,
    keepText: async () => ({ append: refuse, discard }),
  }
}

const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} 😀`).join('\n')

describe('the spill policy', () => {
  test('a long text becomes a preview with a locator; the store has all of it, and the value is untouched', async () => {
    const { kept, store } = openStore()
    const { runtime, told } = await setUp(store)
    const value = { rows: [{ id: 1 }], text: lines }
    const render = () => [{ type: 'text' as const, text: lines }]
    runtime.tools.register(rawTool('big', async () => value, { output: { schema: {}, render } }))
    const result = await runtime.call('big')
    const text = textOf(result)
    expect(result.value).toEqual(value)
    expect(kept).toEqual([{ value, text: lines, tool: 'big' }])
    expect(utf8Bytes(text)).toBeLessThan(10_000)
    for (const part of ['locator-1', 'read_result', 'rows: array of 1', 'line 0 😀\nline 1 😀\n', '\nline 19999 😀'])
      expect(text).toContain(part)
    expect(told).toEqual([])
  })

  test('what is within the limit is left as it is, to the byte', async () => {
    const { kept, store } = openStore()
    const { runtime } = await setUp(store)
    const output = { schema: {}, render: (_: unknown, value: unknown) => [{ type: 'text' as const, text: String(value) }] }
    const exact = `${'中'.repeat(16_666)}ab`
    runtime.tools.register(rawTool('exact', async () => exact, { output }))
    runtime.tools.register(rawTool('over', async () => `${exact}c`, { output }))
    expect(textOf(await runtime.call('exact'))).toBe(exact)
    expect(kept).toEqual([])
    expect(textOf(await runtime.call('over'))).toContain('50,001 bytes')
  })

  test.each([
    ['no store', undefined],
    ['a store that fails', { keep: () => Promise.reject(new Error('disk full')) } as never],
    ['something that is no store', { hands: 2 } as never],
  ])('with %s the text is cut all the same, says so, and a diagnostic tells why', async (_, store) => {
    const { runtime, told } = await setUp(store)
    runtime.tools.register(rawTool('big', async () => lines))
    const text = textOf(await runtime.call('big'))
    expect(text).toContain('is not kept')
    expect(utf8Bytes(text)).toBeLessThan(10_000)
    expect(told).toEqual([expect.objectContaining({ kind: 'spill-failed', tool: 'big' })])
  })

  test.each([
    ['keep', { hangs: true, keep: (): Promise<string> => new Promise(() => undefined) }],
    ['discard of a text that could not be kept', { hangs: true, ...brokenKeeper(() => new Promise<void>(() => undefined)) }],
    ['nothing', { hangs: false, keep: async (): Promise<string> => 'in time' }],
  ])('a store in which %s hangs holds the call up for half a minute and no longer', async (_, { hangs, ...store }) => {
    const { runtime, told, clock } = await setUp(store as never)
    const fails = 'keepText' in store
    runtime.tools.register(rawTool('big', async () => lines))
    if (fails)
      runtime.on('tools/execute', async () => ({ isError: true, error: { message: 'x' }, content: [{ type: 'text', text: lines }] }))
    let settled = false
    const result = runtime.call('big').finally(() => {
      settled = true
    })
    await settleMicrotasks()
    clock.advance(29_999)
    await settleMicrotasks()
    expect(settled).toBe(!hangs)
    clock.advance(1)
    expect(textOf(await result)).toContain(hangs ? 'is not kept' : 'in time')
    expect(told.map(({ message }) => message)).toEqual(hangs ? [expect.stringContaining('did not take it in time')] : [])
    expect(clock.pending).toBe(0)
  })

  test.each([
    ['a value nested ten thousand deep', Array.from({ length: 10_000 }).reduce((inner) => [inner], 'x' as unknown)],
    ['a value with very many keys', Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, index]))],
    ['a text of pairs alone', '😀'.repeat(20_000)],
  ])('%s is shown in few bytes, well-formed', async (_, value) => {
    const { store } = openStore()
    const { runtime } = await setUp(store)
    const render = () => [{ type: 'text' as const, text: '😀'.repeat(20_000) }]
    runtime.tools.register(rawTool('big', async () => value as never, { output: { schema: {}, render } }))
    const result = await runtime.call('big')
    expect(codeOf(result)).toBeUndefined()
    expect(utf8Bytes(textOf(result))).toBeLessThan(10_000)
    expect(textOf(result).isWellFormed()).toBe(true)
  })

  test('many small blocks count together, and become one', async () => {
    const { kept, store } = openStore()
    const { runtime } = await setUp(store)
    const render = () => Array.from({ length: 5_001 }, () => ({ type: 'text' as const, text: '0123456789' }))
    runtime.tools.register(rawTool('big', async () => null, { output: { schema: {}, render } }))
    expect((await runtime.call('big')).content).toHaveLength(1)
    expect(kept[0]?.text.split('\n')).toHaveLength(5_001)
  })

  test('a failure’s text is spilled and stays a failure', async () => {
    const { kept, store } = openStore()
    const { runtime } = await setUp(store)
    runtime.tools.register(rawTool('bad'))
    runtime.on('tools/execute', async () => ({ isError: true, error: { message: 'bad' }, content: [{ type: 'text', text: lines }] }))
    const result = await runtime.call('bad')
    expect(codeOf(result)).toBe('TOOL_FAILED')
    expect(textOf(result)).toContain('locator-1')
    expect(kept[0]?.text).toContain('line 10000 ')
  })

  test('what another policy puts in place is what is measured, whichever was mounted first; pictures stay, resources lose their text alone', async () => {
    const { kept, store } = openStore()
    const { runtime } = testRuntime()
    runtime.on('tools/post-execute', async () => ({
      kind: 'accept',
      content: [
        { type: 'image', mediaType: 'image/png', data: 'AA==' },
        { type: 'text', text: 'short' },
        { type: 'resource', uri: 'a:b', text: lines },
      ],
    }))
    runtime.provide('results', store)
    await runtime.plugin(spillPolicy)
    runtime.tools.register(rawTool('t'))
    const { content } = await runtime.call('t')
    expect(content.map((block) => block.type)).toEqual(['image', 'text', 'resource'])
    expect(content[2]).toEqual({ type: 'resource', uri: 'a:b' })
    expect(kept[0]?.text).toBe(`short\n${lines}`)
  })

  test('of a program’s sub-calls only the logged copy is shortened', async () => {
    const { kept, store } = openStore()
    const { runtime } = await setUp(store)
    const pipeline = new ToolExecutionPipeline(runtime)
    const log = { subCallId: toToolCallId('c:ptc:1'), name: 'sub', content: [{ type: 'text', text: lines }] }
    const logged = await waterfall(pipeline.scopeOf(undefined), 'tools/ptc-dispatch-log', log, async () => log.content)
    expect(JSON.stringify(logged)).toContain('locator-1')
    expect(kept).toEqual([{ text: lines, tool: 'sub' }])
    runtime.tools.register(rawTool('sub', async () => lines))
    const callId = toToolCallId('c:ptc:2')
    const result = await pipeline.execute({ callId, name: 'sub', arguments: {}, parent: Symbol('run') as never, signal: live })
    expect(textOf(result)).toContain('line 10000 ')
    expect(kept).toHaveLength(1)
  })

  test('a limit too small for a preview is refused', async () => {
    const { runtime } = testRuntime()
    await expect(Promise.resolve(runtime.plugin(spillPolicy, { maxBytes: 100 }))).rejects.toThrow('4096')
  })
})

test('head and tail never cut a surrogate pair, never exceed their bytes, and are the ends of the text', () => {
  const unit = fc.constantFrom('a', 'é', '中', '😀', '\n')
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 60 }), fc.nat(80), (units, max) => {
      const text = units.join('')
      const [head, tail] = [headOf(text, max), tailOf(text, max)]
      for (const part of [head, tail]) {
        expect(part.isWellFormed()).toBe(true)
        expect(utf8Bytes(part)).toBe(new TextEncoder().encode(part).length)
        expect(utf8Bytes(part)).toBeLessThanOrEqual(max)
      }
      expect(text.startsWith(head)).toBe(true)
      expect(text.endsWith(tail)).toBe(true)
      if (utf8Bytes(text) <= max) expect([head, tail]).toEqual([text, text])
    }),
  )
})

test('a shape is bounded, whatever the value', () => {
  expect(shapeOf({ a: [{ b: null, c: true }], d: 'xy', e: [], f: {} })).toBe(
    '{ a: array of 1, the first: { b: null, c: boolean }, d: string of 2, e: array of 0, f: {} }',
  )
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => shapeOf(value as never).length <= 1_000))
})
