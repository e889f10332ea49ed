import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { call, codeOf, live, rawTool, settleMicrotasks, testRuntime } from '../../test/fixtures.ts'
import type { Agent, Scope, ToolAccess, ToolDefinition } from '../index.ts'
import { createLatch, type Latch } from '../testing/door.ts'

/** A tool that uses the keys its arguments name, and says when it begins and ends. */
class Keyed {
  readonly seen: string[] = []
  readonly #latches = new Map<string, Latch>()

  register(runtime: Scope, more: Partial<ToolDefinition> = {}): this {
    const body = async (args: unknown) => {
      const { id } = args as { id: string }
      this.seen.push(`+${id}`)
      await this.#latch(id).opened
      this.seen.push(`-${id}`)
    }
    runtime.tools.register(rawTool('use', async (args) => (await body(args), 'done'), { access: (args) => args as ToolAccess, ...more }))
    return this
  }

  async end(...ids: string[]): Promise<string[]> {
    for (const id of ids) this.#latch(id).open()
    await settleMicrotasks()
    return this.seen
  }

  #latch(id: string): Latch {
    const latch = this.#latches.get(id) ?? createLatch()
    this.#latches.set(id, latch)
    return latch
  }
}

const writes = (id: string, ...keys: string[]) => call('use', { id, writes: keys }, id)
const reads = (id: string, ...keys: string[]) => call('use', { id, reads: keys }, id)

describe('calls that name keys', () => {
  test('writers of one key run one after another, in the order of the model, and other keys overtake', async () => {
    const { runtime } = testRuntime()
    const tool = new Keyed().register(runtime)
    const batch = runtime.tools.execute({ calls: [writes('1', 'a'), writes('2', 'a'), writes('3', 'b'), writes('4', 'a')], signal: live })
    expect(await tool.end()).toEqual(['+1', '+3'])
    expect(await tool.end('3', '1')).toEqual(['+1', '+3', '-3', '-1', '+2'])
    expect((await tool.end('2', '4')).slice(5)).toEqual(['-2', '+4', '-4'])
    const { results } = await batch
    expect(results.map(({ callId, result }) => [callId, result.value])).toEqual(['1', '2', '3', '4'].map((id) => [id, 'done']))
  })

  test('readers of a key overlap; a reader behind a waiting writer waits for it', async () => {
    const { runtime } = testRuntime()
    const tool = new Keyed().register(runtime)
    const batch = runtime.tools.execute({
      calls: [reads('r1', 'a'), reads('r2', 'a'), writes('w', 'a'), reads('r3', 'a')],
      signal: live,
    })
    expect(await tool.end()).toEqual(['+r1', '+r2'])
    await tool.end('r1')
    expect(await tool.end('r2')).toEqual(['+r1', '+r2', '-r1', '-r2', '+w'])
    expect((await tool.end('w')).slice(5)).toEqual(['-w', '+r3'])
    await tool.end('r3')
    await batch
  })

  test('the keys are the runtime’s: batches of different agents exclude each other', async () => {
    const { runtime } = testRuntime()
    const tool = new Keyed().register(runtime)
    const agents: Agent[] = [{ id: 'one' }, { id: 'two' }]
    for (const agent of agents) runtime.child(agent)
    const batches = agents.map((agent) => runtime.tools.execute({ calls: [writes(agent.id, 'a')], agent, signal: live }))
    expect(await tool.end()).toEqual(['+one'])
    expect(await tool.end('one')).toEqual(['+one', '-one', '+two'])
    await tool.end('two')
    await Promise.all(batches)
  })

  test('a key that is both read and written is written', async () => {
    const { runtime } = testRuntime()
    const tool = new Keyed().register(runtime)
    const calls = [call('use', { id: '1', reads: ['a'], writes: ['a'] }), reads('2', 'a')]
    const batch = runtime.tools.execute({ calls, signal: live })
    expect(await tool.end()).toEqual(['+1'])
    await tool.end('1', '2')
    await batch
  })

  test('a call that has ended gives its keys back, though earlier calls of its batch still run and it is not committed', async () => {
    const { runtime } = testRuntime()
    const tool = new Keyed().register(runtime)
    const first = runtime.tools.execute({ calls: [writes('1', 'x'), writes('2', 'y')], signal: live })
    await tool.end('2')
    const second = runtime.tools.execute({ calls: [writes('3', 'y')], signal: live })
    expect(await tool.end()).toEqual(['+1', '+2', '-2', '+3'])
    await tool.end('1', '3')
    await Promise.all([first, second])
  })

  test('two batches that want the same keys in opposite orders both end', async () => {
    const { runtime } = testRuntime()
    const tool = new Keyed().register(runtime)
    const first = runtime.tools.execute({ calls: [writes('1', 'x'), writes('2', 'y')], signal: live })
    const second = runtime.tools.execute({ calls: [writes('3', 'y'), writes('4', 'x')], signal: live })
    await tool.end('2', '3', '4', '1')
    const ended = await Promise.all([first, second])
    expect(ended.map(({ results }) => results.length)).toEqual([2, 2])
  })

  test('an exclusive call stays alone beside them, and a parallel one overlaps with them', async () => {
    const { runtime } = testRuntime()
    const tool = new Keyed().register(runtime, { isConcurrencySafe: (args) => (args as { safe?: boolean }).safe === true })
    runtime.tools.register(rawTool('alone', async () => (tool.seen.push('alone'), 'done')))
    runtime.tools.register(rawTool('safe', async () => (tool.seen.push('safe'), 'done'), { isConcurrencySafe: () => true }))
    const batch = runtime.tools.execute({ calls: [writes('1', 'a'), call('safe'), call('alone'), writes('2', 'b')], signal: live })
    expect(await tool.end()).toEqual(['+1', 'safe'])
    expect(await tool.end('1')).toEqual(['+1', 'safe', '-1', 'alone', '+2'])
    await tool.end('2')
    await batch
  })

  test('who waits for a key holds no slot', async () => {
    const { runtime } = testRuntime()
    const tool = new Keyed().register(runtime)
    const calls = [writes('1', 'a'), writes('2', 'a'), writes('3', 'a'), writes('4', 'b')]
    const batch = runtime.tools.execute({ calls, signal: live, maxParallelToolCalls: 2 })
    expect(await tool.end()).toEqual(['+1', '+4'])
    await tool.end('1', '2', '3', '4')
    await batch
  })

  test('a call whose caller goes while it waits for a key never starts, and lets those behind it in', async () => {
    const { runtime } = testRuntime()
    const tool = new Keyed().register(runtime)
    const leaving = new AbortController()
    const first = runtime.tools.execute({ calls: [writes('1', 'a')], signal: live })
    await settleMicrotasks()
    const gone = runtime.tools.execute({ calls: [writes('2', 'a', 'b')], signal: leaving.signal })
    await settleMicrotasks()
    const third = runtime.tools.execute({ calls: [writes('3', 'b')], signal: live })
    expect(await tool.end()).toEqual(['+1'])
    leaving.abort()
    const { results } = await gone
    expect(codeOf(results[0]!.result)).toBe('ABORTED_BEFORE_DISPATCH')
    expect(getEventListeners(leaving.signal, 'abort')).toEqual([])
    expect(await tool.end('3')).toEqual(['+1', '+3', '-3'])
    await tool.end('1')
    await Promise.all([first, third])
    const after = runtime.tools.execute({ calls: [writes('4', 'a', 'b')], signal: live })
    await tool.end('4')
    expect((await after).results[0]!.result.isError).toBe(false)
  })

  test('a wrapper that runs after the body runs under its keys', async () => {
    const { runtime } = testRuntime()
    const tool = new Keyed().register(runtime)
    const formatting = createLatch()
    runtime.on('tools/execute', async (exec, next) => {
      const result = await next()
      if (exec.callId === '1') await formatting.opened
      return result
    })
    const batch = runtime.tools.execute({ calls: [writes('1', 'a'), writes('2', 'a')], signal: live })
    expect(await tool.end('1')).toEqual(['+1', '-1'])
    formatting.open()
    expect(await tool.end('2')).toEqual(['+1', '-1', '+2', '-2'])
    await batch
  })

  test('a call that fails gives its keys back', async () => {
    const { runtime } = testRuntime()
    const failing: Partial<ToolDefinition> = { access: () => ({ writes: ['a'] }) }
    runtime.tools.register(rawTool('fail', () => Promise.reject(new Error('no')), failing))
    const calls = [call('fail'), call('fail'), call('fail')]
    const { results } = await runtime.tools.execute({ calls, signal: live })
    expect(results.map(({ result }) => codeOf(result))).toEqual(['TOOL_FAILED', 'TOOL_FAILED', 'TOOL_FAILED'])
  })

  test('while one waits for its approval, the key is free', async () => {
    const { runtime } = testRuntime()
    const tool = new Keyed().register(runtime)
    const answer = createLatch()
    const agent: Agent = { id: 'careful' }
    runtime.child(agent).on('tools/pre-execute', async () => ({ kind: 'ask' }))
    runtime.provide('approval', { request: async () => (await answer.opened, { outcome: 'allowed-once' }) })
    const asked = runtime.tools.execute({ calls: [writes('1', 'a')], agent, signal: live })
    const other = runtime.tools.execute({ calls: [writes('2', 'a')], signal: live })
    expect(await tool.end('2')).toEqual(['+2', '-2'])
    answer.open()
    expect(await tool.end('1')).toEqual(['+2', '-2', '+1', '-1'])
    await Promise.all([asked, other])
  })
})

describe('what access() may answer', () => {
  const mode = (access: ToolDefinition['access'], more: Partial<ToolDefinition> = {}) => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 'done', { access, ...more } as Partial<ToolDefinition>))
    return runtime.tools.executionMode({ name: 't', arguments: {} })
  }

  test('keys, and then the call is keyed, whatever isConcurrencySafe says', () => {
    expect(mode(() => ({ reads: ['a'], writes: ['b'] }))).toEqual({ kind: 'keyed', reads: ['a'], writes: ['b'] })
    expect(mode(() => ({}), { isConcurrencySafe: () => false })).toEqual({ kind: 'keyed', reads: [], writes: [] })
  })

  test('undefined leaves the question to isConcurrencySafe', () => {
    expect(mode(() => undefined)).toEqual({ kind: 'exclusive' })
    expect(mode(() => undefined, { isConcurrencySafe: () => true })).toEqual({ kind: 'parallel' })
  })

  test.each([
    [
      'an exception',
      () => {
        throw new Error('no')
      },
    ],
    ['a promise', async () => ({ writes: ['a'] })],
    ['no object', () => 'a'],
    ['no list', () => ({ writes: 'a' })],
    ['a key that is no text', () => ({ reads: [1] })],
  ])('%s is exclusive', (_what, access) => {
    expect(mode(access as never, { isConcurrencySafe: () => true })).toEqual({ kind: 'exclusive' })
  })

  test('a tool that cannot say what it uses runs, and the host learns why', async () => {
    const { runtime } = testRuntime()
    const told: string[] = []
    runtime.on('tools/diagnostic', ({ kind, message }) => void told.push(`${kind}: ${message}`))
    const access = () => {
      throw new Error('the disk is gone')
    }
    runtime.tools.register(rawTool('t', async () => 'done', { access }))
    expect((await runtime.call('t', {})).value).toBe('done')
    expect(told).toEqual(['access-failed: t: what it reads and writes is unknown, and it runs without keys: the disk is gone'])
  })
})
