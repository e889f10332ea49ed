import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { ToolExecutionPipeline } from '../src/executor/door.ts'
import {
  type Agent,
  assertSupportedJsonSchema,
  type ContentBlock,
  closeBatch,
  type JsonValue,
  ToolBatchExecutionError,
  type ToolDefinition,
  toToolCallId,
} from '../src/index.ts'
import { createLatch } from '../src/testing/door.ts'
import { call, codeOf, live, rawTool, settleMicrotasks, testRuntime, textOf } from './fixtures.ts'

// Public fault reports, each a kind of fault. The titles name the report; what is tested is the kind.
const faults: readonly { readonly ref: string; readonly area: string }[] = JSON.parse(
  readFileSync(new URL('./cases/public-faults.json', import.meta.url), 'utf8'),
).cases

/** Those that belong to parts this package does not have: processes, the session log, and other servers' schemas. */
const ELSEWHERE = ['timeout / children', 'orphan result after crash', 'schema conversion']
const tested = new Set<string>()
const fault = (ref: string, right: string, run: () => Promise<void> | void) => {
  tested.add(ref)
  test(`${ref}: ${right}`, run)
}

const runOne = async (definition: ToolDefinition, args: unknown = {}) => {
  const { runtime } = testRuntime()
  runtime.tools.register(definition)
  const { results } = await runtime.tools.execute({ calls: [call(definition.name, args)], signal: live })
  return results[0]!.result
}

const untilAborted = (begun: () => void) =>
  rawTool('wait', async (_args, exec) => {
    begun()
    await new Promise<void>((resolve) => exec.signal.addEventListener('abort', () => resolve()))
    return 1
  })

/** Listeners on a signal, now and at most. */
function countListeners(signal: AbortSignal) {
  const counts = { now: 0, peak: 0 }
  const { addEventListener, removeEventListener } = signal
  vi.spyOn(signal, 'addEventListener').mockImplementation((...args: Parameters<typeof addEventListener>) => {
    counts.peak = Math.max(counts.peak, ++counts.now)
    addEventListener.apply(signal, args)
  })
  vi.spyOn(signal, 'removeEventListener').mockImplementation((...args: Parameters<typeof removeEventListener>) => {
    counts.now--
    removeEventListener.apply(signal, args)
  })
  return counts
}

describe('results that go missing', () => {
  const abortWhileRunning = async () => {
    const { runtime } = testRuntime()
    const events: { type: string; data: JsonValue }[] = []
    const agent: Agent = { id: 'a', session: { append: async (event) => ({ seq: events.push(event) }) } }
    runtime.child(agent)
    const begun = createLatch()
    const controller = new AbortController()
    runtime.tools.register(untilAborted(begun.open))
    const batch = runtime.tools.execute({ calls: [call('wait', {}, 'x')], signal: controller.signal, agent, log: { turn: 1, step: 1 } })
    await begun.opened
    controller.abort()
    return { batch: await batch, events }
  }

  fault('anthropics/claude-code#2959', 'an interrupt leaves one result for every call, in the log too', async () => {
    const { batch, events } = await abortWhileRunning()
    expect(batch.results.map(({ callId, result }) => [callId, codeOf(result)])).toEqual([['x', 'ABORTED']])
    expect(events.map(({ type }) => type)).toEqual(['tool/call', 'tool/start', 'tool/result'])
  })

  fault('charmbracelet/crush#1860', 'the log alone gives the pair of call and result', async () => {
    const { events } = await abortWhileRunning()
    expect(events[2]?.data).toMatchObject({ call: 1, callId: 'x', isError: true, content: [{ type: 'text' }] })
  })

  fault('openai/codex#8479', '12 parallel calls, some failing early: as many results, same order, equal ids', async () => {
    const { runtime } = testRuntime()
    const body = async (args: unknown) =>
      (args as { n: number }).n % 2 ? Promise.reject(new Error('early')) : settleMicrotasks().then(() => 1)
    runtime.tools.register(rawTool('t', body, { isConcurrencySafe: () => true }))
    const calls = Array.from({ length: 12 }, (_, n) => call('t', { n }, `id${n}`))
    const { results } = await runtime.tools.execute({ calls, signal: live })
    expect(results.map(({ callId }) => callId)).toEqual(calls.map(({ callId }) => callId))
  })

  test('a batch that breaks can always be closed', () => {
    const missing = [{ index: 0, callId: toToolCallId('x'), name: 't', bodyStarted: true }]
    const closed = closeBatch(new ToolBatchExecutionError({ results: [], missing, additionalContexts: [], cause: new Error('disk') }))
    expect(closed.results.map(({ result }) => codeOf(result))).toEqual(['TOOL_OUTCOME_UNKNOWN'])
  })
})

describe('ids and names that repeat', () => {
  const echo = rawTool('search', async (args) => args)
  const both = async (ids: readonly [string, string]) => {
    const { runtime } = testRuntime()
    runtime.tools.register(echo)
    const { results } = await runtime.tools.execute({
      calls: [call('search', { q: 1 }, ids[0]), call('search', { q: 2 }, ids[1])],
      signal: live,
    })
    return results.map(({ result }) => result.value)
  }
  fault('can1357/oh-my-pi#2055', 'two calls with one id are two ordered results', async () =>
    expect(await both(['x', 'x'])).toEqual([{ q: 1 }, { q: 2 }]),
  )
  fault('generative-computing/mellea#1431', 'two calls of one tool in one turn both run, in order', async () =>
    expect(await both(['x', 'y'])).toEqual([{ q: 1 }, { q: 2 }]),
  )
})

describe('listeners that stay', () => {
  const listening = rawTool('t', async (_args, exec) => (exec.signal.addEventListener('abort', () => undefined), 1), {
    isConcurrencySafe: () => true,
  })
  fault('QwenLM/qwen-code#4366', '2,000 batches on one signal leave no listener and no warning', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(listening)
    const { signal } = new AbortController()
    const counts = countListeners(signal)
    const warned = vi.fn()
    process.on('warning', warned)
    for (let n = 0; n < 2_000; n++) await runtime.tools.execute({ calls: [call('t')], signal })
    await settleMicrotasks()
    process.off('warning', warned)
    expect(counts).toEqual({ now: 0, peak: 1 })
    expect(warned).not.toHaveBeenCalled()
  })
  fault('vybestack/llxprt-code#1092', '500 parallel calls on one signal share one listener', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(listening)
    const { signal } = new AbortController()
    const counts = countListeners(signal)
    await runtime.tools.execute({ calls: Array.from({ length: 500 }, () => call('t')), signal, maxParallelToolCalls: 500 })
    expect(counts).toEqual({ now: 0, peak: 1 })
  })
  fault('langchain-ai/langchainjs#7963', 'listeners are removed when a tool settles, not only on abort', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(listening)
    const { signal } = new AbortController()
    const counts = countListeners(signal)
    await runtime.call('t', {}, { signal })
    expect(counts.now).toBe(0)
  })
})

describe('results that are no JSON', () => {
  fault('vercel/ai#16408', 'a Date inside is INVALID_TOOL_OUTPUT naming the path, and the body is not retried', async () => {
    let runs = 0
    const result = await runOne(rawTool('t', async () => (runs++, { at: new Date() })))
    expect([codeOf(result), runs]).toEqual(['INVALID_TOOL_OUTPUT', 1])
    expect(textOf(result)).toContain('$.at')
  })
  fault('mastra-ai/mastra#14535', 'a circular result fails, and the batch goes on', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('bad', async () => cyclic))
    runtime.tools.register(rawTool('good', async () => 1))
    const { results } = await runtime.tools.execute({ calls: [call('bad'), call('good')], signal: live })
    expect(results.map(({ result }) => codeOf(result))).toEqual(['INVALID_TOOL_OUTPUT', undefined])
    expect(textOf(results[0]!.result).length).toBeLessThan(1_000)
  })
  fault('launchdarkly/js-core#1338', 'undefined is no JSON, whatever the output schema says; content is always an array', async () => {
    for (const type of ['null', 'object'] as const) {
      const result = await runOne(rawTool('t', async () => undefined, { output: { schema: { type }, render: () => [] } }))
      expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT')
      expect(Array.isArray(result.content)).toBe(true)
    }
  })
  fault('mastra-ai/mastra#20402', 'a renderer that returns undefined fails; a finalizeContent that does keeps the content', async () => {
    expect(codeOf(await runOne(rawTool('t', async () => 1, { output: { schema: {}, render: () => undefined as never } })))).toBe(
      'INVALID_TOOL_OUTPUT',
    )
    expect(textOf(await runOne(rawTool('t', async () => 1, { finalizeContent: () => undefined })))).toBe('1')
  })
  fault('anomalyco/opencode#17758', 'a lone surrogate never reaches the model', async () => {
    const render = (_args: unknown, value: JsonValue): ContentBlock[] => [{ type: 'text', text: String(value) }]
    expect(textOf(await runOne(rawTool('t', async () => 'a\ud800b', { output: { schema: {}, render } })))).toBe('a\ufffdb')
    expect(textOf(await runOne(rawTool('t', async () => Promise.reject(new Error('bad \udc00')))))).toBe('Error: bad \ufffd')
  })
  fault('google-gemini/gemini-cli#10492', 'a value that is too large fails, and the process lives', async () => {
    const result = await runOne(rawTool('t', async () => 'x'.repeat(100_000_000)))
    expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT')
    expect(textOf(result)).toMatch(/limit/)
  })
})

describe('schemas and arguments', () => {
  fault('mastra-ai/mastra#15400', 'a schema that contains itself is refused, not followed for ever', () => {
    const node: Record<string, unknown> = { type: 'array' }
    node['items'] = node
    expect(() => assertSupportedJsonSchema(node)).toThrow(/cycle/)
    expect(() => assertSupportedJsonSchema({ type: 'array', items: { $ref: '#' } })).toThrow(/\$ref/)
  })
  fault('earendil-works/pi#5697', 'an array that arrives as a JSON string is refused with the path and a hint', async () => {
    const parameters = { type: 'object', properties: { queries: { type: 'array' } } } as const
    const result = await runOne(
      rawTool('t', async () => 1, { parameters }),
      '{"queries":"[\\"t\\"]"}',
    )
    expect(codeOf(result)).toBe('INVALID_ARGS')
    expect(textOf(result)).toMatch(/\$\.queries/)
  })
  fault('openai/openai-agents-js#664', 'empty argument text is {}, then validated', async () => {
    expect(
      (
        await runOne(
          rawTool('t', async (args) => args),
          '',
        )
      ).value,
    ).toEqual({})
    const parameters = { type: 'object', properties: { a: {} }, required: ['a'] } as const
    expect(
      codeOf(
        await runOne(
          rawTool('t', async () => 1, { parameters }),
          '',
        ),
      ),
    ).toBe('INVALID_ARGS')
  })
})

describe('cancellation and overlap', () => {
  fault('vercel/ai#19966', 'a body that only ends on its signal is ended by the abort, in a batch and nested', async () => {
    for (const nested of [false, true]) {
      const { runtime } = testRuntime()
      const begun = createLatch()
      const controller = new AbortController()
      const pipeline = new ToolExecutionPipeline(runtime)
      runtime.tools.register(untilAborted(begun.open))
      runtime.tools.register(
        rawTool('outer', async (_args, exec) => {
          const sub = {
            callId: toToolCallId('sub'),
            rootCallId: exec.rootCallId,
            parent: exec.token,
            name: 'wait',
            arguments: {},
            signal: exec.signal,
          }
          return codeOf(await pipeline.execute(sub)) ?? 'none'
        }),
      )
      const batch = runtime.tools.execute({ calls: [call(nested ? 'outer' : 'wait')], signal: controller.signal })
      await begun.opened
      controller.abort()
      expect((await batch).results.map(({ result }) => codeOf(result))).toEqual(['ABORTED'])
    }
  })
  fault('google-gemini/gemini-cli#26731', 'two edits of one file in one batch both land: unclassified tools are exclusive', async () => {
    const { runtime } = testRuntime()
    let file = 'a b'
    runtime.tools.register(
      rawTool('edit', async (args) => {
        const { from } = args as { from: string }
        const before = file
        await settleMicrotasks()
        file = before.replace(from, from.toUpperCase())
        return null
      }),
    )
    await runtime.tools.execute({ calls: [call('edit', { from: 'a' }), call('edit', { from: 'b' })], signal: live })
    expect(file).toBe('A B')
  })
})

test('every report is tested here, or belongs to a part this package does not have', () => {
  const open = faults.filter(({ ref, area }) => !tested.has(ref) && !ELSEWHERE.includes(area))
  expect(open).toEqual([])
})
