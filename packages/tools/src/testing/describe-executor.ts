import type { ToolBatchInput, ToolCallBlock, ToolExecutor } from '../contract/executor.ts'
import type { JsonValue } from '../contract/json.ts'
import type { Agent, ToolDefinition } from '../contract/tool.ts'
import type { ToolBatchExecutionError } from '../outcome/batch-error.ts'
import { createRuntime } from '../runtime/create-runtime.ts'
import type { Scope } from '../runtime/scope.ts'
import { toToolCallId } from '../tool/call-id.ts'
import { createLatch } from './latch.ts'
import { createRecordingLogger } from './recording-logger.ts'
import { createTestTool } from './test-tool.ts'

/** The test functions of whatever runner is used: `describe`, `test` and `expect` of vitest, Jest or node:test with an assertion of its kind. */
export interface TestApi {
  describe(name: string, body: () => void): void
  test(name: string, body: () => Promise<void>): void
  expect(value: unknown): { toBe(expected: unknown): void; toEqual(expected: unknown): void }
}

/** An executor to be held to the contract. */
export interface ExecutorUnderTest {
  readonly executor: ToolExecutor
  /** The raw call by which a model makes this executor run a tool. Default: a direct call of it. */
  toCall?(name: string, args: JsonValue, callId: string): ToolCallBlock
}

/**
 * The conformance suite of the executor seam: what every executor owes, whatever it shows to the model.
 * @param create - makes the executor for a runtime, which the suite then selects.
 */
export function describeExecutor(api: TestApi, name: string, create: (runtime: Scope) => ExecutorUnderTest): void {
  api.describe(`the executor ${name}`, () => {
    describeResults(api, create)
    describeOverlap(api, create)
    describeTrouble(api, create)
    describeCancellation(api, create)
    describeLog(api, create)
    describeDurability(api, create)
  })
}

type Create = (runtime: Scope) => ExecutorUnderTest

function bench(create: Create) {
  const runtime = createRuntime({ logger: createRecordingLogger() })
  const { executor, toCall = directCall } = create(runtime)
  runtime.tools.setExecutor(executor)
  const controller = new AbortController()
  const run = (calls: readonly ToolCallBlock[], extra: Partial<ToolBatchInput> = {}) =>
    runtime.tools.execute({ calls, signal: controller.signal, ...extra })
  const add = (tool: string, execute: ToolDefinition['execute'], extra: Partial<ToolDefinition> = {}) =>
    runtime.tools.register(createTestTool(tool, execute, extra))
  return { runtime, executor, controller, run, add, toCall }
}

function directCall(name: string, args: JsonValue, callId: string): ToolCallBlock {
  return { type: 'tool-call', name, arguments: JSON.stringify(args), callId: toToolCallId(callId) }
}

/** Let whatever is ready run. A macrotask, so that any chain of promises has come to rest. */
function idle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

function describeResults({ test, expect }: TestApi, create: Create): void {
  test('gives one result per call, in input order, with the ids of the calls', async () => {
    const { run, add, toCall } = bench(create)
    add('echo', async (args) => args, { isConcurrencySafe: () => true })
    const { results } = await run(['a', 'b', 'c'].map((id) => toCall('echo', { id }, id)))
    expect(results.map(({ callId }) => callId)).toEqual(['a', 'b', 'c'])
    expect(results.map(({ result }) => result.isError)).toEqual([false, false, false])
  })
  test('gives two results for two calls with one id', async () => {
    const { run, add, toCall } = bench(create)
    let runs = 0
    add('count', async () => ++runs)
    const { results } = await run([toCall('count', {}, 'x'), toCall('count', {}, 'x')])
    expect([results.map(({ callId }) => callId), runs]).toEqual([['x', 'x'], 2])
  })
  test('gives an empty result for an empty batch', async () => {
    const { run } = bench(create)
    expect(await run([])).toEqual({ results: [], additionalContexts: [], concluded: false })
  })
  test('forwards contexts in order, and that a success concludes the turn', async () => {
    const { run, add, toCall } = bench(create)
    add('say', async (args, exec) => {
      exec.deferContext({
        source: { kind: 'plugin', name: 'suite' },
        content: [{ type: 'text', text: String((args as { text: string }).text) }],
      })
      exec.concludeTurn()
      return null
    })
    const batch = await run([toCall('say', { text: 'one' }, 'a'), toCall('say', { text: 'two' }, 'b')])
    const texts = batch.additionalContexts.flatMap(({ content }) => content.map((block) => ('text' in block ? block.text : '')))
    expect([texts, batch.concluded]).toEqual([['one', 'two'], true])
  })
  test('describes schemas with unique names', async () => {
    const { runtime, add } = bench(create)
    for (const tool of ['one', 'two']) add(tool, async () => null)
    const names = runtime.tools.modelInput().schemas.map((schema) => schema.name)
    expect(new Set(names).size).toBe(names.length)
  })
}

function describeOverlap({ test, expect }: TestApi, create: Create): void {
  test('never lets a call that did not opt in overlap with another', async () => {
    const { run, add, toCall } = bench(create)
    let running = 0
    let peak = 0
    add('alone', async () => {
      peak = Math.max(peak, ++running)
      await idle()
      running--
      return null
    })
    await run(['a', 'b', 'c'].map((id) => toCall('alone', {}, id)))
    expect(peak).toBe(1)
  })
  test('does not settle while a body is still running', async () => {
    const { run, add, toCall } = bench(create)
    const hold = createLatch()
    const begun = createLatch()
    add('hold', async () => {
      begun.open()
      await hold.opened
      return null
    })
    let settled = false
    const end = () => {
      settled = true
    }
    const batch = run([toCall('hold', {}, 'a')]).then(end, end)
    await begun.opened
    await idle()
    expect(settled).toBe(false)
    hold.open()
    await batch
  })
}

function describeTrouble({ test, expect }: TestApi, create: Create): void {
  test('makes a value of every failure, and goes on: unknown tools, broken arguments, bodies that throw', async () => {
    const { run, add, toCall } = bench(create)
    add('throws', async () => Promise.reject(new Error('boom')))
    add('fine', async () => 1)
    const broken: ToolCallBlock = { ...toCall('fine', {}, 'b'), arguments: '{"a":' }
    const unknown = directCall('no_such_tool', {}, 'a')
    const { results } = await run([unknown, broken, toCall('throws', {}, 'c'), toCall('fine', {}, 'd')])
    expect(results.map(({ callId, result }) => [callId, result.isError])).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
      ['d', false],
    ])
    expect(results.every(({ result }) => !result.isError || typeof result.error.info?.code === 'string')).toBe(true)
  })
  test('never starts a body that a guard denied', async () => {
    const { runtime, run, add, toCall } = bench(create)
    let ran = false
    add('rm', async () => {
      ran = true
      return null
    })
    runtime.tools.guard((exec) => (exec.name === 'rm' ? 'no' : undefined))
    const { results } = await run([toCall('rm', {}, 'a')])
    expect([results[0]?.result.isError, ran]).toEqual([true, false])
  })
}

function describeCancellation({ test, expect }: TestApi, create: Create): void {
  test('starts nothing for a caller who is gone, and gives every call its result', async () => {
    const { run, add, toCall, controller } = bench(create)
    let ran = false
    add('t', async () => {
      ran = true
      return null
    })
    controller.abort()
    const { results } = await run([toCall('t', {}, 'a'), toCall('t', {}, 'b')])
    expect([results.map(({ result }) => result.isError), ran]).toEqual([[true, true], false])
  })
  test('ends a body that heeds its signal when the caller goes, and starts no other', async () => {
    const { run, add, toCall, controller } = bench(create)
    const begun = createLatch()
    let starts = 0
    add('wait', async (_args, exec) => {
      starts++
      begun.open()
      await new Promise<void>((resolve) => exec.signal.addEventListener('abort', () => resolve()))
      return null
    })
    const batch = run([toCall('wait', {}, 'a'), toCall('wait', {}, 'b')])
    await begun.opened
    controller.abort()
    const { results } = await batch
    expect([results.map(({ callId, result }) => [callId, result.isError]), starts]).toEqual([
      [
        ['a', true],
        ['b', true],
      ],
      1,
    ])
  })
}

function describeLog({ test, expect }: TestApi, create: Create): void {
  test('logs every root call once, and one result for each, in order', async () => {
    const { runtime, run, add, toCall } = bench(create)
    add('t', async () => null)
    const { types, extra } = loggedTo(runtime, () => undefined)
    await run([toCall('t', {}, 'a'), toCall('t', {}, 'b')], extra)
    expect(types.filter((type) => type === 'tool/call' || type === 'tool/result')).toEqual([
      'tool/call',
      'tool/result',
      'tool/call',
      'tool/result',
    ])
  })
  test('rejects with what was committed and what is missing when the log fails, after draining', async () => {
    const { runtime, run, add, toCall } = bench(create)
    let running = 0
    add('t', async () => {
      running++
      await idle()
      running--
      return null
    })
    let results = 0
    const { extra } = loggedTo(runtime, (type) => {
      if (type === 'tool/result' && ++results === 2) throw new Error('disk full')
    })
    const error = (await run(
      ['a', 'b', 'c'].map((id) => toCall('t', {}, id)),
      extra,
    ).catch((thrown: unknown) => thrown)) as ToolBatchExecutionError
    expect([error.name, running]).toEqual(['ToolBatchExecutionError', 0])
    expect(error.results.map(({ callId }) => callId)).toEqual(['a'])
    expect(error.missing.map(({ index, callId }) => [index, callId])).toEqual([
      [1, 'b'],
      [2, 'c'],
    ])
  })
}

/** An agent that logs to a list of types; `append` may break it. */
function loggedTo(runtime: Scope, append: (type: string) => void) {
  const types: string[] = []
  const agent: Agent = {
    id: 'suite',
    session: {
      async append({ type }) {
        append(type)
        return { seq: types.push(type) }
      },
    },
  }
  runtime.child(agent)
  return { types, agent, extra: { agent, log: { turn: 1, step: 1 } } }
}

function describeDurability({ test, expect }: TestApi, create: Create): void {
  test('begins no body with effects before its start is durable', async () => {
    const { runtime, run, add, toCall } = bench(create)
    const disk = createLatch()
    let ran = false
    add('t', async () => {
      ran = true
      return null
    })
    const starting = createLatch()
    const agent: Agent = {
      id: 'suite',
      session: {
        async append({ type }, options) {
          if (type === 'tool/start') starting.open()
          if (options?.durable && !ran) await disk.opened
          return { seq: 1 }
        },
      },
    }
    runtime.child(agent)
    const batch = run([toCall('t', {}, 'a')], { agent, log: { turn: 1, step: 1 } })
    await starting.opened
    await idle()
    const before = ran
    disk.open()
    await batch
    expect([before, ran]).toEqual([false, true])
  })
  test('does not log a call again that is in the log from before a crash', async () => {
    const { runtime, run, add, toCall } = bench(create)
    add('t', async () => null)
    const { types, agent } = loggedTo(runtime, () => undefined)
    await run([toCall('t', {}, 'a')], { agent, log: { turn: 1, step: 1, resumed: [{ seq: 7, attempts: 1 }] } })
    expect(types.filter((type) => type === 'tool/call' || type === 'tool/result')).toEqual(['tool/result'])
  })
}
