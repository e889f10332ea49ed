import { describe, expect, test, vi } from 'vitest'
import { call, codeOf, live, rawTool, settleMicrotasks, testRuntime, textOf } from '../../test/fixtures.ts'
import { type Agent, closeBatch, type JsonValue, ToolBatchExecutionError, toToolCallId } from '../index.ts'
import { createLatch, type Latch } from '../testing/door.ts'

const parallel = { isConcurrencySafe: () => true }

/** A tool whose bodies wait until the test lets them go, in any order. */
function steerable(name: string, extra = {}) {
  const started: string[] = []
  const latches = new Map<string, ReturnType<typeof createLatch<unknown>>>()
  const latch = (id: string) => {
    const known = latches.get(id) ?? createLatch<unknown>()
    latches.set(id, known)
    return known
  }
  const definition = rawTool(
    name,
    async (args) => {
      const { id } = args as { id: string }
      started.push(id)
      return latch(id).opened
    },
    extra,
  )
  return {
    definition,
    started,
    finish: (id: string, value: unknown = id) => latch(id).open(value),
    fail: (id: string, error: unknown) => latch(id).fail(error),
  }
}

describe('a batch', () => {
  test('resolves with exactly one result per call, in input order, whatever order the bodies end in', async () => {
    const { runtime } = testRuntime()
    const tool = steerable('wait', parallel)
    runtime.tools.register(tool.definition)
    const batch = runtime.tools.execute({ calls: ['a', 'b', 'c'].map((id) => call('wait', { id }, id)), signal: live })
    await settleMicrotasks()
    expect(tool.started).toEqual(['a', 'b', 'c'])
    for (const id of ['c', 'b', 'a']) tool.finish(id)
    const { results } = await batch
    expect(results.map(({ callId, result }) => [callId, result.value])).toEqual([
      ['a', 'a'],
      ['b', 'b'],
      ['c', 'c'],
    ])
  })

  test('12 parallel calls, some failing early: all results, same order, ids equal', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(
      rawTool(
        'maybe',
        async (args) => {
          const { n } = args as { n: number }
          if (n % 3 === 0) throw new Error(`no ${n}`)
          return n
        },
        parallel,
      ),
    )
    const calls = Array.from({ length: 12 }, (_, n) => call('maybe', { n }, `id${n}`))
    const { results } = await runtime.tools.execute({ calls, signal: live })
    expect(results.map(({ callId }) => callId)).toEqual(calls.map(({ callId }) => callId))
    expect(results.map(({ result }) => result.isError)).toEqual(calls.map((_, n) => n % 3 === 0))
  })

  test('a missing callId gets a fresh one', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('one', async () => 1))
    const { results } = await runtime.tools.execute({ calls: [call('one'), call('one')], signal: live })
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(2)
    for (const { callId } of results) expect(callId).toMatch(/^call_/)
  })

  test('equal callIds in one batch are two calls with two results', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('same', async (args) => args))
    const { results } = await runtime.tools.execute({ calls: [call('same', { q: 1 }, 'x'), call('same', { q: 2 }, 'x')], signal: live })
    expect(results.map(({ callId, result }) => [callId, result.value])).toEqual([
      ['x', { q: 1 }],
      ['x', { q: 2 }],
    ])
  })

  test('contexts are joined in order, and a concluding success concludes the batch', async () => {
    const { runtime } = testRuntime()
    const context = (text: string) => ({ source: { kind: 'plugin' as const, name: 'p' }, content: [{ type: 'text' as const, text }] })
    runtime.tools.register(
      rawTool('say', async (args, exec) => {
        exec.deferContext(context((args as { text: string }).text))
        if ((args as { text: string }).text === 'b') exec.concludeTurn()
        return null
      }),
    )
    const batch = await runtime.tools.execute({ calls: [call('say', { text: 'a' }), call('say', { text: 'b' })], signal: live })
    expect(batch.additionalContexts.map((message) => message.content)).toEqual([
      [{ type: 'text', text: 'a' }],
      [{ type: 'text', text: 'b' }],
    ])
    expect(batch.concluded).toBe(true)
    expect(batch.results.map(({ result }) => result.concludesTurn)).toEqual([undefined, true])
  })

  test('an empty batch is an empty result', async () => {
    const { runtime } = testRuntime()
    expect(await runtime.tools.execute({ calls: [], signal: live })).toEqual({ results: [], additionalContexts: [], concluded: false })
  })

  test.each([
    [{ calls: 'x', signal: live }, /array of calls/],
    [{ calls: [{ type: 'tool-call', arguments: '{}' }], signal: live }, /calls\[0\] needs the name/],
    [{ calls: [] }, /signal of its caller/],
    [{ calls: [], signal: live, maxParallelToolCalls: 0 }, /maxParallelToolCalls must be a positive integer/],
    [{ calls: [], signal: live, log: { turn: 1, step: 1 } }, /needs the agent/],
  ])('misuse is a TypeError that names the field (%#)', async (input, message) => {
    const { runtime } = testRuntime()
    const error = await runtime.tools.execute(input as never).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toMatch(message)
  })
})

describe('overlap', () => {
  test('unclassified calls run one after another: two edits of one file both land', async () => {
    const { runtime } = testRuntime()
    let file = 'a b'
    runtime.tools.register(
      rawTool('edit', async (args) => {
        const before = file
        await settleMicrotasks()
        const { from, to } = args as { from: string; to: string }
        file = before.replace(from, to)
        return null
      }),
    )
    await runtime.tools.execute({ calls: [call('edit', { from: 'a', to: 'A' }), call('edit', { from: 'b', to: 'B' })], signal: live })
    expect(file).toBe('A B')
  })

  test('a classifier that throws or answers something else than true means exclusive', async () => {
    const { runtime } = testRuntime()
    for (const [name, isConcurrencySafe] of Object.entries({
      throws: () => {
        throw new Error('no')
      },
      truthy: () => 1 as unknown as boolean,
    })) {
      const tool = steerable(name, { isConcurrencySafe })
      runtime.tools.register(tool.definition)
      const batch = runtime.tools.execute({ calls: [call(name, { id: 'a' }), call(name, { id: 'b' })], signal: live })
      await settleMicrotasks()
      expect(tool.started).toEqual(['a'])
      tool.finish('a')
      tool.finish('b')
      await batch
    }
  })

  test('an exclusive call waits for the parallel ones before it, and nothing behind it begins its policy before it is committed', async () => {
    const { runtime } = testRuntime()
    const shared = steerable('shared', parallel)
    const alone = steerable('alone')
    runtime.tools.register(shared.definition)
    runtime.tools.register(alone.definition)
    const events: string[] = []
    runtime.on('tools/pre-execute', async (exec, next) => {
      events.push(`policy ${exec.callId}`)
      return next()
    })
    runtime.on('tools/result', (exec) => void events.push(`result ${exec.callId}`))
    const calls = [call('shared', { id: 'a' }, 'a'), call('alone', { id: 'b' }, 'b'), call('shared', { id: 'c' }, 'c')]
    const batch = runtime.tools.execute({ calls, signal: live })
    await settleMicrotasks()
    expect(events).toEqual(['policy a'])
    shared.finish('a')
    await settleMicrotasks()
    expect(events).toEqual(['policy a', 'result a', 'policy b'])
    shared.finish('c')
    await settleMicrotasks()
    expect(shared.started).toEqual(['a'])
    alone.finish('b')
    await batch
    expect(events).toEqual(['policy a', 'result a', 'policy b', 'result b', 'policy c', 'result c'])
  })

  test('policy stages happen in model order, one call after another, approvals included', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const tool = steerable('work', parallel)
    runtime.child(agent)
    runtime.tools.register(tool.definition)
    const asked: string[] = []
    const answers = new Map<string, Latch>()
    runtime.on('tools/pre-execute', async () => ({ kind: 'ask' }))
    runtime.provide('approval', {
      async request({ exec }) {
        asked.push(exec.callId)
        const answer = createLatch()
        answers.set(exec.callId, answer)
        await answer.opened
        return { outcome: 'allowed-once' }
      },
    })
    const batch = runtime.tools.execute({ calls: ['a', 'b'].map((id) => call('work', { id }, id)), signal: live, agent })
    await settleMicrotasks()
    expect(asked).toEqual(['a'])
    answers.get('a')?.open()
    await settleMicrotasks()
    expect([asked, tool.started]).toEqual([['a', 'b'], ['a']])
    answers.get('b')?.open()
    tool.finish('b')
    await settleMicrotasks()
    expect(tool.started).toEqual(['a', 'b'])
    tool.finish('a')
    await batch
  })

  test('results are committed in model order, one call after another', async () => {
    const { runtime } = testRuntime()
    const tool = steerable('work', parallel)
    runtime.tools.register(tool.definition)
    const events: string[] = []
    const hold = createLatch()
    runtime.on('tools/post-execute', async (exec, _result, next) => {
      events.push(`post ${exec.callId}`)
      if (exec.callId === 'a') await hold.opened
      return next()
    })
    runtime.on('tools/result', (exec) => void events.push(`result ${exec.callId}`))
    const batch = runtime.tools.execute({ calls: ['a', 'b'].map((id) => call('work', { id }, id)), signal: live })
    await settleMicrotasks()
    tool.finish('b')
    await settleMicrotasks()
    expect(events).toEqual([])
    tool.finish('a')
    await settleMicrotasks()
    expect(events).toEqual(['post a'])
    hold.open()
    await batch
    expect(events).toEqual(['post a', 'result a', 'post b', 'result b'])
  })

  test('the cap counts running bodies: a settled body that waits for its turn to commit holds no slot', async () => {
    const { runtime } = testRuntime()
    const tool = steerable('work', parallel)
    runtime.tools.register(tool.definition)
    const batch = runtime.tools.execute({
      calls: ['a', 'b', 'c', 'd'].map((id) => call('work', { id }, id)),
      signal: live,
      maxParallelToolCalls: 2,
    })
    await settleMicrotasks()
    expect(tool.started).toEqual(['a', 'b'])
    tool.finish('b')
    await settleMicrotasks()
    expect(tool.started).toEqual(['a', 'b', 'c'])
    for (const id of ['a', 'c', 'd']) tool.finish(id)
    await batch
  })

  test('at most 10 bodies run at once by default, and the option of the runtime changes it', async () => {
    for (const [options, expected] of [
      [{}, 10],
      [{ scheduling: { maxParallelToolCalls: 3 } }, 3],
    ] as const) {
      const { runtime } = testRuntime(options)
      let running = 0
      let peak = 0
      runtime.tools.register(
        rawTool(
          'busy',
          async () => {
            peak = Math.max(peak, ++running)
            await settleMicrotasks()
            running--
            return null
          },
          parallel,
        ),
      )
      await runtime.tools.execute({ calls: Array.from({ length: 40 }, () => call('busy')), signal: live })
      expect(peak).toBe(expected)
    }
  })

  test('classification happens just before a call starts: a tool registered by an earlier call of the batch is seen', async () => {
    const { runtime } = testRuntime()
    const late = rawTool('late', async () => 'here', parallel)
    runtime.tools.register(rawTool('bring', async () => (runtime.tools.register(late), 'brought')))
    const { results } = await runtime.tools.execute({ calls: [call('bring'), call('late')], signal: live })
    expect(results.map(({ result }) => result.value)).toEqual(['brought', 'here'])
  })
})

describe('cancellation of a batch', () => {
  test('a running body settles first; calls that had not begun are ABORTED_BEFORE_DISPATCH; every call has its result', async () => {
    const { runtime } = testRuntime()
    const controller = new AbortController()
    const begun = createLatch()
    runtime.tools.register(
      rawTool('until-abort', async (_args, exec) => {
        begun.open()
        await new Promise<void>((resolve) => exec.signal.addEventListener('abort', () => resolve()))
        return 'late'
      }),
    )
    const batch = runtime.tools.execute({ calls: [call('until-abort'), call('until-abort')], signal: controller.signal })
    await begun.opened
    controller.abort()
    const { results } = await batch
    expect(results.map(({ result }) => codeOf(result))).toEqual(['ABORTED', 'ABORTED_BEFORE_DISPATCH'])
  })

  test('one caller signal carries one listener, however many calls share it, and none when they are done', async () => {
    const { runtime } = testRuntime()
    const controller = new AbortController()
    const { signal } = controller
    let listeners = 0
    let peak = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    vi.spyOn(signal, 'addEventListener').mockImplementation((...args: Parameters<typeof add>) => {
      peak = Math.max(peak, ++listeners)
      add(...args)
    })
    vi.spyOn(signal, 'removeEventListener').mockImplementation((...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    })
    runtime.tools.register(
      rawTool(
        'listen',
        async (_args, exec) => {
          exec.signal.addEventListener('abort', () => undefined)
          await settleMicrotasks()
          return null
        },
        parallel,
      ),
    )
    const warned = vi.fn()
    process.on('warning', warned)
    await runtime.tools.execute({ calls: Array.from({ length: 500 }, () => call('listen')), signal })
    for (let n = 0; n < 2_000; n++) await runtime.tools.execute({ calls: [call('listen')], signal, maxParallelToolCalls: 1 })
    await Promise.all(Array.from({ length: 50 }, () => runtime.tools.execute({ calls: [call('listen'), call('listen')], signal })))
    await settleMicrotasks()
    process.off('warning', warned)
    expect(peak).toBe(1)
    expect(listeners).toBe(0)
    expect(warned).not.toHaveBeenCalled()
  })
})

describe('a batch that cannot be completed', () => {
  test('rejects with the committed results and the calls that have none, after draining, and closeBatch makes the rest', async () => {
    const { runtime } = testRuntime()
    const appended: { type: string; data: JsonValue }[] = []
    let results = 0
    const agent: Agent = {
      id: 'logged',
      session: {
        async append(event) {
          if (event.type === 'tool/result' && ++results === 2) throw new Error('disk full')
          appended.push(event)
          return { seq: appended.length }
        },
      },
    }
    runtime.child(agent)
    const drained = createLatch()
    let drainedFirst = false
    const slowBegan = createLatch()
    runtime.tools.register(rawTool('fast', async () => 'fast', parallel))
    runtime.tools.register(rawTool('later', async () => slowBegan.opened.then(() => 'later'), parallel))
    runtime.tools.register(
      rawTool(
        'slow',
        async () => {
          slowBegan.open()
          await drained.opened
          drainedFirst = true
          return 'slow'
        },
        parallel,
      ),
    )
    const batch = runtime.tools.execute({
      calls: [call('fast', {}, 'a'), call('later', {}, 'b'), call('slow', {}, 'c')],
      signal: live,
      agent,
      log: { turn: 1, step: 2 },
    })
    const failed = batch.catch((error: unknown) => error)
    await slowBegan.opened
    drained.open()
    const error = (await failed) as ToolBatchExecutionError
    expect(drainedFirst).toBe(true)
    expect(error).toBeInstanceOf(ToolBatchExecutionError)
    expect((error.cause as Error).message).toBe('disk full')
    expect(error.results.map(({ callId }) => callId)).toContain('a')
    expect(error.missing[0]).toEqual({ index: 1, callId: 'b', name: 'later', bodyStarted: true })
    const closed = closeBatch(error)
    expect(closed.results.map(({ callId }) => callId)).toEqual(['a', 'b', 'c'])
    expect(codeOf(closed.results[1]!.result)).toBe('TOOL_OUTCOME_UNKNOWN')
    expect(textOf(closed.results[1]!.result)).toMatch(/^Error: /)
    expect(textOf(closed.results[1]!.result)).not.toContain('disk full')
  })

  test('calls that never began close as TOOL_NOT_STARTED, in input order', () => {
    const error = new ToolBatchExecutionError({
      results: [{ callId: toToolCallId('b'), result: { isError: false, value: 1, content: [] } }],
      missing: [
        { index: 2, callId: toToolCallId('c'), name: 't', bodyStarted: false },
        { index: 0, callId: toToolCallId('a'), name: 't', bodyStarted: false },
      ],
      additionalContexts: [],
      cause: new Error('x'),
    })
    const closed = closeBatch(error)
    expect(closed.results.map(({ callId, result }) => [callId, codeOf(result)])).toEqual([
      ['a', 'TOOL_NOT_STARTED'],
      ['b', undefined],
      ['c', 'TOOL_NOT_STARTED'],
    ])
  })

  test('a custom executor that breaks the contract is held to it', async () => {
    const { runtime } = testRuntime()
    runtime.tools.setExecutor({
      describe: () => ({ schemas: [] }),
      execute: async () => ({ results: [], additionalContexts: [], concluded: false }),
    })
    const error = (await runtime.tools
      .execute({ calls: [call('x', {}, 'a')], signal: live })
      .catch((thrown: unknown) => thrown)) as ToolBatchExecutionError
    expect(error).toBeInstanceOf(ToolBatchExecutionError)
    expect(error.missing).toEqual([{ index: 0, callId: 'a', name: 'x', bodyStarted: true }])
  })
})

describe('a batch that meets trouble', () => {
  test('arguments of any size are parsed: 20 MB of text with numbers in it cost no stack', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('size', async (args) => (args as { text: string }).text.length))
    const long = 'e1-0'.repeat(5_000_000)
    const calls = [call('size', { text: long }), call('size', `{"text":"${long}`)]
    const { results } = await runtime.tools.execute({ calls, signal: live })
    expect([results[0]!.result.value, codeOf(results[1]!.result)]).toEqual([20_000_000, 'INVALID_ARGS'])
  })

  test('a tool set that throws breaks the batch after it has drained, and keeps what was committed', async () => {
    const { runtime } = testRuntime()
    const hold = createLatch()
    let views = 0
    const agent: Agent = { id: 'a' }
    runtime.child(agent)
    const slow = rawTool('slow', async () => hold.opened.then(() => 'slow'), parallel)
    runtime.tools.register(slow)
    const toolSet = {
      dispose: () => undefined,
      view: () => {
        if (views++ >= 2) throw new Error('view broke')
        return new Map([['slow', slow]])
      },
    }
    let settled = false
    const failed = runtime.tools
      .execute({ calls: [call('slow', {}, 'a'), call('slow', {}, 'b')], signal: live, agent, toolSet })
      .catch((error: unknown) => error)
      .finally(() => {
        settled = true
      })
    await settleMicrotasks()
    expect(settled).toBe(false)
    hold.open()
    const error = (await failed) as ToolBatchExecutionError
    expect(error).toBeInstanceOf(ToolBatchExecutionError)
    expect(error.results.map(({ callId }) => callId)).toEqual(['a'])
    expect(error.missing).toEqual([{ index: 1, callId: 'b', name: 'slow', bodyStarted: false }])
  })

  test('what the caller does to its list meanwhile is another batch', async () => {
    const { runtime } = testRuntime()
    const calls = [call('grow')]
    runtime.tools.register(rawTool('grow', async () => calls.push(call('grow'))))
    const { results } = await runtime.tools.execute({ calls, signal: live })
    expect(results).toHaveLength(1)
  })

  test('results in another order than the calls are no results of them', async () => {
    const { runtime } = testRuntime()
    const result = (id: string) => ({ callId: toToolCallId(id), result: { isError: false as const, value: id, content: [] } })
    const swapped = [result('b'), result('a')]
    runtime.tools.setExecutor({
      describe: () => ({ schemas: [] }),
      execute: async () => ({ results: swapped, additionalContexts: [], concluded: false }),
    })
    const batch = runtime.tools.execute({ calls: [call('x', {}, 'a'), call('x', {}, 'b')], signal: live })
    const error = (await batch.catch((thrown: unknown) => thrown)) as ToolBatchExecutionError
    expect(error.message).toMatch(/in their order/)
    expect([error.results.map(({ callId }) => callId), error.missing]).toEqual([['a', 'b'], []])
  })

  test('rejects only with ToolBatchExecutionError once it was taken: a TypeError of an executor is its cause', async () => {
    const { runtime } = testRuntime()
    runtime.tools.setExecutor({
      describe: () => ({ schemas: [] }),
      execute: async () => {
        throw new TypeError('bug')
      },
    })
    const error = (await runtime.tools
      .execute({ calls: [call('x')], signal: live })
      .catch((thrown: unknown) => thrown)) as ToolBatchExecutionError
    expect([error.name, (error.cause as Error).message]).toEqual(['ToolBatchExecutionError', 'bug'])
  })

  test('a callId that is null or empty is a missing one', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('one', async () => 1))
    const calls = [
      { ...call('one'), callId: null as never },
      { ...call('one'), callId: '' as never },
    ]
    const { results } = await runtime.tools.execute({ calls, signal: live })
    for (const { callId } of results) expect(callId).toMatch(/^call_/)
  })

  test('live progress is not held back by calls that commit earlier', async () => {
    const { runtime } = testRuntime()
    const first = createLatch()
    const seen: unknown[] = []
    runtime.on('tools/progress', (exec, { text }) => void seen.push([exec.callId, text]))
    runtime.tools.register(rawTool('slow', async () => first.opened, parallel))
    runtime.tools.register(rawTool('chatty', async (_args, exec) => (exec.progress('on my way'), settleMicrotasks()), parallel))
    const batch = runtime.tools.execute({ calls: [call('slow', {}, 'a'), call('chatty', {}, 'b')], signal: live })
    await settleMicrotasks()
    expect(seen).toEqual([['b', 'on my way']])
    first.open()
    await batch
  })
})

describe('executionMode', () => {
  test('is a pure question about a pending call: nothing runs, unknown and failing ones are exclusive', () => {
    const { runtime } = testRuntime()
    let ran = false
    runtime.tools.register(
      rawTool('t', async () => (ran = true), { isConcurrencySafe: (args) => (args as { safe?: boolean }).safe === true }),
    )
    const mode = (name: string, args: unknown) => runtime.tools.executionMode({ name, arguments: args }).kind
    expect([mode('t', { safe: true }), mode('t', {}), mode('t', null), mode('nope', {})]).toEqual([
      'parallel',
      'exclusive',
      'exclusive',
      'exclusive',
    ])
    expect(ran).toBe(false)
  })
})

describe('the log of a batch', () => {
  test('a call whose arguments are no text is logged and refused, like any other', async () => {
    const { runtime } = testRuntime()
    const events: { type: string; data: JsonValue }[] = []
    const agent: Agent = { id: 'logged', session: { append: async (event) => ({ seq: events.push(event) }) } }
    runtime.child(agent)
    runtime.tools.register(rawTool('echo', async (args) => args))
    const calls = [{ type: 'tool-call', name: 'echo' } as never]
    const { results } = await runtime.tools.execute({ calls, signal: live, agent, log: { turn: 1, step: 1 } })
    expect(codeOf(results[0]!.result)).toBe('INVALID_ARGS')
    expect(events.map(({ type, data }) => [type, (data as { arguments?: unknown }).arguments])).toEqual([
      ['tool/call', null],
      ['tool/result', undefined],
    ])
  })

  test('a session that gives no sequence number breaks the batch: a result could not be told to belong to its call', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'logged', session: { append: async () => ({}) as never } }
    runtime.child(agent)
    let ran = false
    runtime.tools.register(rawTool('t', async () => (ran = true)))
    const error = (await runtime.tools
      .execute({ calls: [call('t')], signal: live, agent, log: { turn: 1, step: 1 } })
      .catch((thrown: unknown) => thrown)) as ToolBatchExecutionError
    expect([error.name, ran]).toEqual(['ToolBatchExecutionError', false])
    expect(error.missing[0]?.bodyStarted).toBe(false)
  })

  test('a tool that is swapped while its call is recorded is classified as what it is then', async () => {
    const { runtime } = testRuntime()
    let running = 0
    let peak = 0
    const busy = async () => {
      peak = Math.max(peak, ++running)
      await settleMicrotasks()
      running--
      return 1
    }
    let unregister = runtime.tools.register(rawTool('t', busy, parallel))
    let appended = 0
    const swap = () => {
      unregister()
      unregister = runtime.tools.register(rawTool('t', busy))
    }
    const agent: Agent = {
      id: 'logged',
      session: {
        append: async ({ type }) => {
          if (type === 'tool/call' && appended === 0) swap()
          return { seq: ++appended }
        },
      },
    }
    runtime.child(agent)
    await runtime.tools.execute({ calls: [call('t'), call('t'), call('t')], signal: live, agent, log: { turn: 1, step: 1 } })
    expect(peak).toBe(1)
  })

  test('call and result events are appended in model order and correlated by seq', async () => {
    const { runtime } = testRuntime()
    const events: { type: string; data: JsonValue }[] = []
    const agent: Agent = { id: 'logged', session: { append: async (event) => ({ seq: events.push(event) }) } }
    runtime.child(agent)
    runtime.tools.register(rawTool('echo', async (args) => args, parallel))
    await runtime.tools.execute({
      calls: [call('echo', { n: 1 }, 'x'), call('echo', { n: 2 }, 'x')],
      signal: live,
      agent,
      log: { turn: 3, step: 4 },
    })
    expect(events.filter(({ type }) => type === 'tool/call').map(({ data }) => data)).toEqual([
      { turn: 3, step: 4, callId: 'x', name: 'echo', arguments: '{"n":1}' },
      { turn: 3, step: 4, callId: 'x', name: 'echo', arguments: '{"n":2}' },
    ])
    const results = events.filter(({ type }) => type === 'tool/result').map(({ data }) => data as { call: number; isError: boolean })
    const calls = events.flatMap(({ type }, index) => (type === 'tool/call' ? [index + 1] : []))
    expect(results.map((result) => result.call)).toEqual(calls)
    expect(JSON.stringify(events)).not.toContain('"value"')
  })

  test('without log nothing is appended', async () => {
    const { runtime } = testRuntime()
    const append = vi.fn()
    const agent: Agent = { id: 'quiet', session: { append } }
    runtime.child(agent)
    runtime.tools.register(rawTool('echo', async (args) => args))
    await runtime.tools.execute({ calls: [call('echo')], signal: live, agent })
    expect(append).not.toHaveBeenCalled()
  })
})

test('who starts a batch goes on first: what it cancels at once never starts', async () => {
  const { runtime } = testRuntime()
  let started = false
  runtime.tools.register(rawTool('t', async () => (started = true)))
  const controller = new AbortController()
  const batch = runtime.tools.execute({ calls: [call('t')], signal: controller.signal })
  const single = runtime.call('t', {}, { signal: controller.signal })
  controller.abort()
  const results = [(await batch).results[0]?.result, await single].map((result) => result && codeOf(result))
  expect([results, started]).toEqual([['ABORTED_BEFORE_DISPATCH', 'ABORTED_BEFORE_DISPATCH'], false])
})

test('batches within bodies do not pile up on the stack', async () => {
  const { runtime } = testRuntime()
  runtime.tools.register(
    rawTool('deeper', async (args) => {
      const { n } = args as { n: number }
      if (n === 0) return 'bottom'
      const { results } = await runtime.tools.execute({ calls: [call('deeper', { n: n - 1 })], signal: live })
      return results[0]?.result.isError === false ? results[0].result.value : 'broken'
    }),
  )
  expect(await runtime.call('deeper', { n: 3_000 })).toMatchObject({ value: 'bottom' })
})

test('what the caller does to a call once it is handed in changes nothing', async () => {
  const { runtime } = testRuntime()
  runtime.tools.register(rawTool('t', async (args) => args))
  const mutable = { ...call('t', { n: 1 }) }
  const batch = runtime.tools.execute({ calls: [mutable], signal: live })
  Object.assign(mutable, { name: 'other', arguments: '{"n":9}' })
  expect((await batch).results[0]?.result).toMatchObject({ value: { n: 1 } })
})
