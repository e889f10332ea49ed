import { describe, expect, test } from 'vitest'
import { call, codeOf, live, rawTool, settleMicrotasks, testRuntime, textOf } from '../../test/fixtures.ts'
import type { Agent, PostToolDecision, PreToolDecision, ToolDiagnostic, ToolExecution, UserMessage } from '../index.ts'
import { createLatch } from '../testing/door.ts'

const text = (value: string) => ({ type: 'text' as const, text: value })
const context = (value: string): UserMessage => ({ source: { kind: 'plugin', name: 'p' }, content: [text(value)] })
const agentOf = (runtime: ReturnType<typeof testRuntime>['runtime']): Agent => {
  const agent: Agent = { id: 'a' }
  runtime.child(agent)
  return agent
}

describe('the execution object', () => {
  test('is one object for every stage, body and observer, frozen before tools/result', async () => {
    const { runtime } = testRuntime()
    const agent = agentOf(runtime)
    const seen = new Set<unknown>()
    const frozen: boolean[] = []
    const see = (exec: unknown) => {
      seen.add(exec)
      frozen.push(Object.isFrozen(exec))
    }
    runtime.tools.register(
      rawTool('t', async (_args, exec) => (see(exec), 1), {
        projectContent: (exec) => void see(exec),
        finalizeContent: (exec) => void see(exec),
      }),
    )
    runtime.on('tools/pre-execute', async (exec, next) => (see(exec), next()))
    runtime.on('tools/execute', async (exec, next) => (see(exec), next()))
    runtime.on('tools/post-execute', async (exec, _result, next) => (see(exec), next()))
    runtime.tools.guard((exec) => void see(exec))
    runtime.on('tools/result', (exec) => void see(exec))
    await runtime.call('t', {}, { agent })
    expect(seen.size).toBe(1)
    expect(frozen).not.toContain(false)
  })

  test('carries deep-frozen arguments, identity and a token of its own', async () => {
    const { runtime } = testRuntime()
    const execs: ToolExecution[] = []
    runtime.tools.register(rawTool('t', async (_args, exec) => execs.push(exec)))
    const args = { list: [{ n: 1 }] }
    await runtime.call('t', args)
    await runtime.call('t', args)
    const [first, second] = execs
    expect(first?.arguments).toEqual(args)
    expect(first?.arguments).not.toBe(args)
    expect(Object.isFrozen((first!.arguments as typeof args).list[0])).toBe(true)
    expect(first?.rootCallId).toBe(first?.callId)
    expect(typeof first?.token).toBe('symbol')
    expect(first?.token).not.toBe(second?.token)
  })

  test('its signal can be replaced in tools/execute only, and never removed', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    const problems: string[] = []
    const attempt = (run: () => void) => {
      try {
        run()
      } catch (error) {
        problems.push((error as Error).message)
      }
    }
    runtime.on('tools/pre-execute', async (exec, next) => {
      attempt(() => Object.assign(exec, { signal: new AbortController().signal }))
      return next()
    })
    runtime.on('tools/execute', async (exec, next) => {
      attempt(() => Object.assign(exec, { signal: undefined }))
      return next()
    })
    expect((await runtime.call('t')).isError).toBe(false)
    expect(problems).toEqual([
      'exec.signal can be replaced in tools/execute only.',
      'exec.signal cannot be removed: it must stay an AbortSignal.',
    ])
  })
})

describe('pre-execute', () => {
  test.each<[string, () => unknown]>([
    ['throws', () => Promise.reject(new Error('boom'))],
    ['returns nothing', async () => undefined],
    ['returns an unknown decision', async () => ({ kind: 'maybe' })],
    ['denies without a reason', async () => ({ kind: 'deny' })],
  ])('a listener that %s fails the call closed, with a code and its label', async (_what, listener) => {
    const { runtime, logger } = testRuntime()
    let ran = false
    runtime.tools.register(rawTool('t', async () => (ran = true)))
    runtime.plugin({ name: 'my-policy', apply: (host) => void host.on('tools/pre-execute', listener as never) })
    const result = await runtime.call('t')
    expect(codeOf(result)).toBe('POLICY_FAILED')
    expect(textOf(result)).toContain('my-policy')
    expect(logger.entries.map((entry) => entry.level)).toEqual(['error'])
    expect(ran).toBe(false)
  })

  test('calling next() twice is an error of that listener, even when it hides the rejection', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    runtime.on('tools/pre-execute', async function twice(_exec, next) {
      await next()
      return next().catch((): PreToolDecision => ({ kind: 'allow' }))
    })
    const result = await runtime.call('t')
    expect(codeOf(result)).toBe('POLICY_FAILED')
    expect(textOf(result)).toContain('"twice"')
    expect(result.error?.info?.reason).toMatch(/next\(\) more than once/)
  })

  test('what a listener makes of the answer of next() is its own affair: the next call is allowed again', async () => {
    const { runtime } = testRuntime()
    const answers: unknown[] = []
    runtime.on('tools/pre-execute', async (_exec, next) => {
      const decision = await next()
      answers.push({ ...decision })
      return Object.assign(decision, { kind: 'deny', reason: 'meddled with' })
    })
    runtime.on('tools/post-execute', async (_exec, _result, next) => Object.assign(await next(), { kind: 'block', feedback: [text('no')] }))
    runtime.tools.register(rawTool('t', async () => 1))
    expect(codeOf(await runtime.call('t'))).toBe('RESULT_BLOCKED')
    await runtime.call('t')
    expect(answers).toEqual([{ kind: 'allow' }, { kind: 'allow' }])
  })

  test('a listener around a broken one cannot turn its failure into permission', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    runtime.on('tools/pre-execute', async (_exec, next) => next().catch((): PreToolDecision => ({ kind: 'allow' })))
    runtime.on('tools/pre-execute', async () => Promise.reject(new Error('inner')))
    expect(codeOf(await runtime.call('t'))).toBe('POLICY_FAILED')
  })

  test('a denial may bring its own identity, whose reason never reaches the model', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    const info = { name: 'Quota', code: 'QUOTA', reason: 'customer 17 is over budget' }
    runtime.on('tools/pre-execute', async () => ({ kind: 'deny', reason: 'not today', info }))
    const result = await runtime.call('t')
    expect(result.error?.info).toEqual(info)
    expect(textOf(result)).toContain('not today')
    expect(textOf(result)).not.toContain('customer 17')
  })

  test('cancel is the caller’s cancellation, not a denial', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    runtime.on('tools/pre-execute', async () => ({ kind: 'cancel' }))
    expect(codeOf(await runtime.call('t'))).toBe('ABORTED_BEFORE_DISPATCH')
  })

  test('the caller gone during a listener is ABORTED_BEFORE_DISPATCH, after the listener has settled; a denial says more', async () => {
    for (const [decision, code] of [
      [{ kind: 'allow' }, 'ABORTED_BEFORE_DISPATCH'],
      [{ kind: 'deny', reason: 'no' }, 'DENIED'],
    ] as const) {
      const { runtime } = testRuntime()
      const controller = new AbortController()
      runtime.tools.register(rawTool('t', async () => 1))
      let settled = false
      runtime.on('tools/pre-execute', async () => {
        controller.abort()
        await settleMicrotasks()
        settled = true
        return decision
      })
      expect(codeOf(await runtime.call('t', {}, { signal: controller.signal }))).toBe(code)
      expect(settled).toBe(true)
    }
  })
})

describe('contexts that come back', () => {
  const deferring = (extra: (runtime: ReturnType<typeof testRuntime>['runtime']) => void) => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async (_args, exec) => (exec.deferContext(context('from the body')), 1)))
    extra(runtime)
    return runtime.call('t')
  }
  const passOn = { kind: 'accept' } as const

  test('are known: a post-execute listener that passes on what it sees adds nothing, however many do', async () => {
    const result = await deferring((runtime) => {
      for (let n = 0; n < 3; n++) {
        runtime.on('tools/post-execute', async (_exec, seen, next) => {
          await next()
          return { ...passOn, additionalContexts: seen.additionalContexts ?? [] }
        })
      }
    })
    expect(result.additionalContexts).toEqual([context('from the body')])
  })

  test('stay dropped: a block that brings back what it dropped brings nothing', async () => {
    const result = await deferring((runtime) =>
      runtime.on('tools/post-execute', async (_exec, seen) => ({
        kind: 'block',
        feedback: [text('no')],
        additionalContexts: [...(seen.additionalContexts ?? []), context('of the block')],
      })),
    )
    expect(result.additionalContexts).toEqual([context('of the block')])
  })

  test('any number of them is fine', async () => {
    const many = Array.from({ length: 150_000 }, () => context('x'))
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    runtime.on('tools/execute', async (_exec, next) => ({ ...(await next()), additionalContexts: many }))
    const { additionalContexts } = await runtime.tools.execute({ calls: [call('t')], signal: live })
    expect(additionalContexts).toHaveLength(many.length)
  })
})

describe('a body', () => {
  test.each<[string, () => unknown]>([
    ['answers a result of its own', () => Promise.resolve({ isError: false, value: 'forged', content: [] })],
    [
      'throws',
      () => {
        throw new Error('x')
      },
    ],
    ['never settles', () => new Promise(() => undefined)],
  ])('whose promise brings a then that %s is awaited all the same', async (_what, then) => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', () => Object.assign(Promise.resolve(1), { then }) as never))
    expect(await runtime.call('t')).toMatchObject({ isError: false, value: 1 })
  })
})

describe('arguments', () => {
  test('those that break the schema never reach approval, guards, wrappers or body, for raw definitions too', async () => {
    const { runtime } = testRuntime()
    const agent = agentOf(runtime)
    const reached: string[] = []
    const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const
    runtime.tools.register(rawTool('t', async () => reached.push('body'), { parameters }))
    runtime.on('tools/pre-execute', async () => ({ kind: 'ask' }))
    runtime.provide('approval', { request: async () => (reached.push('approval'), { outcome: 'allowed-once' }) })
    runtime.tools.guard(() => void reached.push('guard'))
    runtime.on('tools/execute', async (_exec, next) => (reached.push('execute'), next()))
    const result = await runtime.call('t', { n: 'x' }, { agent })
    expect(codeOf(result)).toBe('INVALID_ARGS')
    expect(textOf(result)).toContain('$.n')
    expect(reached).toEqual([])
  })

  test('those that are not lossless JSON are INVALID_ARGS naming the path', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    const result = await runtime.call('t', { when: new Date() })
    expect(codeOf(result)).toBe('INVALID_ARGS')
    expect(textOf(result)).toContain('$.when')
  })
})

describe('approval', () => {
  const setUp = () => {
    const parts = testRuntime()
    const agent = agentOf(parts.runtime)
    const ran: unknown[] = []
    parts.runtime.tools.register(rawTool('t', async () => ran.push(1)))
    parts.runtime.on('tools/pre-execute', async () => ({ kind: 'ask', reason: 'audited', displayReason: { en: 'Sure?', zh: '确定？' } }))
    return { ...parts, agent, ran }
  }

  test('only allowed-once continues; reason and displayReason go to the service', async () => {
    const { runtime, agent, ran } = setUp()
    const asks: unknown[] = []
    runtime.provide('approval', {
      request: async ({ reason, displayReason, exec }) => (asks.push([reason, displayReason, exec.name]), { outcome: 'allowed-once' }),
    })
    expect((await runtime.call('t', {}, { agent })).isError).toBe(false)
    expect(asks).toEqual([['audited', { en: 'Sure?', zh: '确定？' }, 't']])
    expect(ran).toEqual([1])
  })

  test.each([
    [async () => ({ outcome: 'rejected', note: 'use the copy' }), 'APPROVAL_REJECTED', /use the copy/],
    [async () => ({ outcome: 'cancelled' }), 'APPROVAL_CANCELLED', /without an answer/],
    [async () => ({ outcome: 'unavailable' }), 'APPROVAL_UNAVAILABLE', /nobody is there/],
    [async () => ({ outcome: 'cancelled', expired: true }), 'APPROVAL_EXPIRED', /expired/],
    [async () => ({ outcome: 'yes' }), 'APPROVAL_UNAVAILABLE', /an answer that is none/],
    [async () => undefined, 'APPROVAL_UNAVAILABLE', /an answer that is none/],
    [async () => Promise.reject(new Error('secret socket path')), 'APPROVAL_UNAVAILABLE', /service failed/],
  ])('every other answer is a denial that says which (%#)', async (request, code, message) => {
    const { runtime, agent, ran } = setUp()
    runtime.provide('approval', { request } as never)
    const result = await runtime.call('t', {}, { agent })
    expect(codeOf(result)).toBe(code)
    expect(textOf(result)).toMatch(message)
    expect(textOf(result)).not.toContain('secret')
    expect(ran).toEqual([])
  })

  test('no service, a service of another shape, and no agent to ask through are denials that say which', async () => {
    const { runtime, agent } = setUp()
    expect(textOf(await runtime.call('t', {}, { agent }))).toContain('no approval service is mounted')
    const withdraw = runtime.provide('approval', { ask: () => true } as never)
    expect(textOf(await runtime.call('t', {}, { agent }))).toContain('no request()')
    withdraw()
    runtime.provide('approval', { request: async () => ({ outcome: 'allowed-once' }) })
    const result = await runtime.call('t')
    expect(codeOf(result)).toBe('APPROVAL_UNAVAILABLE')
    expect(textOf(result)).toContain('belongs to no agent')
  })

  test('the caller’s cancellation withdraws the open request, and later calls of the batch are never asked', async () => {
    const { runtime, agent, ran } = setUp()
    const controller = new AbortController()
    const asked = createLatch()
    let asks = 0
    runtime.provide('approval', {
      async request({ signal }) {
        asks++
        asked.open()
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        return { outcome: 'rejected' }
      },
    })
    const batch = runtime.tools.execute({ calls: [call('t'), call('t')], signal: controller.signal, agent })
    await asked.opened
    controller.abort()
    const { results } = await batch
    expect(results.map(({ result }) => codeOf(result))).toEqual(['ABORTED_BEFORE_DISPATCH', 'ABORTED_BEFORE_DISPATCH'])
    expect([asks, ran]).toEqual([1, []])
  })
})

describe('guards', () => {
  test('a refusal survives every later listener, and the body never starts', async () => {
    const { runtime } = testRuntime()
    let ran = false
    runtime.tools.register(rawTool('t', async () => (ran = true)))
    runtime.tools.guard((exec) => (exec.name === 't' ? 'read only' : undefined))
    runtime.on('tools/pre-execute', async () => ({ kind: 'allow' }))
    runtime.on('tools/execute', async (_exec, next) => next())
    const result = await runtime.call('t')
    expect(codeOf(result)).toBe('GUARD_DENIED')
    expect(textOf(result)).toContain('read only')
    expect(ran).toBe(false)
  })

  test('an empty reason is still a refusal', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    runtime.tools.guard(() => '')
    expect(codeOf(await runtime.call('t'))).toBe('GUARD_DENIED')
  })

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('x')
      },
    ],
    ['answers a promise', () => Promise.reject(new Error('late'))],
    ['answers false', () => false],
  ])('one that %s fails the call closed', async (_what, guard) => {
    const { runtime } = testRuntime()
    let ran = false
    runtime.tools.register(rawTool('t', async () => (ran = true)))
    runtime.tools.guard(guard as never)
    expect(codeOf(await runtime.call('t'))).toBe('POLICY_FAILED')
    expect(ran).toBe(false)
  })

  test('checkGuards gives the first denial of the call’s scope and those above, outermost first', () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    child.tools.guard(() => 'child')
    const lift = runtime.tools.guard(() => 'root')
    const exec = { name: 't', agent } as ToolExecution
    expect(runtime.tools.checkGuards(exec)).toBe('root')
    lift()
    expect(runtime.tools.checkGuards(exec)).toBe('child')
    expect(runtime.tools.checkGuards({ name: 't' } as ToolExecution)).toBeUndefined()
  })
})

describe('what a body throws', () => {
  test('an error may bring a code of its own, but never one of the runtime', async () => {
    const { runtime } = testRuntime()
    const thrown: Record<string, unknown> = {
      own: Object.assign(new Error('no file'), { code: 'FILE_NOT_FOUND' }),
      fake: Object.assign(new Error('x'), { code: 'GUARD_DENIED' }),
      plain: new TypeError('bad'),
      text: 'just text',
      nothing: undefined,
      hostile: new Proxy(
        {},
        {
          get: () => {
            throw new Error('trap')
          },
        },
      ),
    }
    runtime.tools.register(rawTool('t', async (args) => Promise.reject(thrown[(args as { which: string }).which])))
    const codes = await Promise.all(Object.keys(thrown).map(async (which) => codeOf(await runtime.call('t', { which }))))
    expect(codes).toEqual(['FILE_NOT_FOUND', 'TOOL_FAILED', 'TOOL_FAILED', 'TOOL_FAILED', 'TOOL_FAILED', 'TOOL_FAILED'])
  })

  test('no stack reaches the model, and a huge message is bounded', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => Promise.reject(new Error('x'.repeat(1_000_000)))))
    const result = await runtime.call('t')
    expect(textOf(result).length).toBeLessThan(5_000)
    expect(textOf(result)).not.toMatch(/\n\s+at /)
  })

  test('model-facing text of a failure begins with "Error: "', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => Promise.reject(new Error('bad'))))
    expect(textOf(await runtime.call('t'))).toBe('Error: bad')
  })
})

describe('canonical output', () => {
  test.each<[string, unknown, RegExp]>([
    ['a Date inside', { at: new Date() }, /\$\.at is a Date/],
    ['undefined', undefined, /undefined/],
    ['a BigInt', { n: 1n }, /\$\.n/],
    ['an undefined property', { a: undefined }, /\$\.a/],
  ])('%s is INVALID_TOOL_OUTPUT naming the path, and the body is not run again', async (_what, value, message) => {
    const { runtime } = testRuntime()
    let runs = 0
    runtime.tools.register(rawTool('t', async () => (runs++, value)))
    const result = await runtime.call('t')
    expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT')
    expect(textOf(result)).toMatch(message)
    expect(runs).toBe(1)
  })

  test('a cycle is INVALID_TOOL_OUTPUT with a bounded message', async () => {
    const { runtime } = testRuntime()
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    runtime.tools.register(rawTool('t', async () => cyclic))
    const result = await runtime.call('t')
    expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT')
    expect(textOf(result).length).toBeLessThan(1_000)
  })

  test('a value that breaks the output schema is INVALID_TOOL_OUTPUT naming the path', async () => {
    const { runtime } = testRuntime()
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const
    runtime.tools.register(rawTool('t', async () => ({ n: 'one' }), { output: { schema, render: () => [] } }))
    const result = await runtime.call('t')
    expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT')
    expect(textOf(result)).toContain('$.n')
  })

  test("undefinedProperties: 'omit' drops properties whose value is undefined", async () => {
    const { runtime } = testRuntime()
    const output = { schema: {}, undefinedProperties: 'omit', render: () => [] } as const
    runtime.tools.register(rawTool('t', async () => ({ a: 1, b: undefined, c: { d: undefined } }), { output }))
    expect((await runtime.call('t')).value).toEqual({ a: 1, c: {} })
  })

  test('a value over the limit is refused, and the process lives', async () => {
    const { runtime } = testRuntime({ limits: { maxValueBytes: 1_000 } })
    runtime.tools.register(rawTool('t', async () => 'x'.repeat(2_000)))
    expect(codeOf(await runtime.call('t'))).toBe('INVALID_TOOL_OUTPUT')
  })

  test('the size of a value is that of its own text, not of the one that a model wrote', async () => {
    const { runtime } = testRuntime({ limits: { maxValueBytes: 100 } })
    runtime.tools.register(rawTool('t', async (args) => args))
    const { results } = await runtime.tools.execute({ calls: [call('t', `{"a":${' '.repeat(200)}1}`)], signal: live })
    expect(results[0]?.result).toMatchObject({ isError: false, value: { a: 1 } })
  })

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['text', 'hello'],
    ['a block of no known type', [{ type: 'html', html: '<b>' }]],
    ['a text block without text', [{ type: 'text' }]],
  ])('a renderer that returns %s fails the call', async (_what, content) => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1, { output: { schema: {}, render: () => content as never } }))
    const result = await runtime.call('t')
    expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT')
    expect(Array.isArray(result.content)).toBe(true)
  })

  test('presentationMeta travels as meta, and one that is not JSON fails the call', async () => {
    const { runtime } = testRuntime()
    const output = { schema: {}, render: () => [text('x')] }
    runtime.tools.register(rawTool('good', async () => 1, { output: { ...output, presentationMeta: (_args, value) => ({ value }) } }))
    runtime.tools.register(rawTool('bad', async () => 1, { output: { ...output, presentationMeta: () => new Map() as never } }))
    expect((await runtime.call('good')).meta).toEqual({ value: 1 })
    expect(codeOf(await runtime.call('bad'))).toBe('INVALID_TOOL_OUTPUT')
  })

  test('model-facing text is made well-formed; the canonical value keeps what it had', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(
      rawTool('t', async () => 'a\ud800b', { output: { schema: {}, render: (_args, value) => [text(String(value))] } }),
    )
    const result = await runtime.call('t')
    expect(result.value).toBe('a\ud800b')
    expect(textOf(result)).toBe('a\ufffdb')
  })

  test('the result is deep-frozen', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => ({ a: [1] })))
    const result = await runtime.call('t')
    expect(Object.isFrozen(result) && Object.isFrozen(result.content) && Object.isFrozen(result.content[0])).toBe(true)
    expect(Object.isFrozen((result.value as { a: number[] }).a)).toBe(true)
  })
})

describe('wrappers', () => {
  test('next() may be called again after it settled: contexts and conclusions of an abandoned attempt are dropped', async () => {
    const { runtime } = testRuntime()
    let attempts = 0
    runtime.tools.register(
      rawTool('t', async (_args, exec) => {
        attempts++
        exec.deferContext(context(`attempt ${attempts}`))
        if (attempts === 1) exec.concludeTurn()
        return attempts
      }),
    )
    runtime.on('tools/execute', async (_exec, next) => {
      await next()
      return next()
    })
    const result = await runtime.call('t')
    expect(result.value).toBe(2)
    expect(result.additionalContexts).toEqual([context('attempt 2')])
    expect(result.concludesTurn).toBeUndefined()
  })

  test('overlapping calls of next() are an error, and the body runs once', async () => {
    const { runtime } = testRuntime()
    let runs = 0
    const hold = createLatch()
    runtime.tools.register(rawTool('t', async () => (runs++, await hold.opened, runs)))
    runtime.on('tools/execute', async function greedy(_exec, next) {
      const [first] = await Promise.all([
        next(),
        next()
          .catch(() => undefined)
          .finally(() => hold.open()),
      ])
      return first
    })
    const result = await runtime.call('t')
    expect(runs).toBe(1)
    expect(codeOf(result)).toBe('TOOL_FAILED')
    expect(textOf(result)).toMatch(/greedy.*still running/)
  })

  test('a wrapper that answers before the body has settled keeps the call waiting for the body', async () => {
    const { runtime } = testRuntime()
    const hold = createLatch()
    runtime.tools.register(rawTool('t', async () => (await hold.opened, 'late')))
    runtime.on('tools/execute', async (_exec, next) => {
      void next()
      return { isError: true, error: { message: 'gave up' }, content: [] }
    })
    let settled = false
    const result = runtime.call('t').finally(() => {
      settled = true
    })
    await settleMicrotasks()
    expect(settled).toBe(false)
    hold.open()
    expect((await result).error?.message).toBe('gave up')
  })

  test('what a wrapper makes is normalised: a value is validated and rendered, a failure gets a code', async () => {
    const { runtime } = testRuntime()
    const output = { schema: { type: 'integer' }, render: (_args: unknown, value: unknown) => [text(`<${value}>`)] } as const
    runtime.tools.register(rawTool('t', async () => 1, { output }))
    const wrap = async (result: unknown) => {
      const remove = runtime.on('tools/execute', async (_exec, next) => {
        await next()
        return result as never
      })
      const normalised = await runtime.call('t')
      remove()
      return normalised
    }
    expect(textOf(await wrap({ isError: false, value: 7, content: [text('lies')] }))).toBe('<7>')
    expect(codeOf(await wrap({ isError: false, value: 'seven', content: [] }))).toBe('INVALID_TOOL_OUTPUT')
    expect(codeOf(await wrap({ isError: true, error: { message: 'x' } }))).toBe('TOOL_FAILED')
    expect(codeOf(await wrap(undefined))).toBe('TOOL_FAILED')
  })

  test('a wrapper may replace the content of the value it was given', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    runtime.on('tools/execute', async (_exec, next) => ({ ...(await next()), content: [text('shown')] }))
    const result = await runtime.call('t')
    expect([result.value, textOf(result)]).toEqual([1, 'shown'])
  })

  test('next() that is called after its listener has settled runs nothing', async () => {
    const { runtime } = testRuntime()
    let runs = 0
    let late: (() => Promise<unknown>) | undefined
    runtime.tools.register(rawTool('t', async () => runs++))
    runtime.on('tools/execute', async (_exec, next) => {
      late = next
      return { isError: true, error: { message: 'not today' }, content: [] }
    })
    expect((await runtime.call('t')).error?.message).toBe('not today')
    await expect(late?.()).rejects.toThrow(/after its listener had settled/)
    expect(runs).toBe(0)
  })

  test('a wrapper that throws is a failed result to the wrapper around it', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    let seen: string | undefined
    runtime.on('tools/execute', async (_exec, next) => {
      const result = await next()
      seen = codeOf(result)
      return result
    })
    runtime.on('tools/execute', async function broken() {
      throw new Error('wrapper bug')
    })
    const result = await runtime.call('t')
    expect(seen).toBe('TOOL_FAILED')
    expect(textOf(result)).toMatch(/broken.*wrapper bug/)
  })

  test('contexts that the body deferred survive a wrapper that makes its own failure', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async (_args, exec) => (exec.deferContext(context('kept')), 1)))
    runtime.on('tools/execute', async (_exec, next) => {
      await next()
      return { isError: true, error: { message: 'no' }, content: [text('no')], additionalContexts: [context('added')] }
    })
    expect((await runtime.call('t')).additionalContexts).toEqual([context('kept'), context('added')])
  })
})

describe('post-execute', () => {
  const run = async (decision: PostToolDecision, extra = {}) => {
    const { runtime } = testRuntime()
    const output = {
      schema: { type: 'integer' },
      render: (_args: unknown, value: unknown) => [text(`<${value}>`)],
      presentationMeta: (_a: unknown, value: unknown) => ({ value }) as never,
    }
    runtime.tools.register(rawTool('t', async (_args, exec) => (exec.deferContext(context('body')), 1), { output, ...extra } as never))
    runtime.on('tools/post-execute', async () => decision)
    return runtime.call('t')
  }

  test('replaced content keeps value and meta', async () => {
    const result = await run({ kind: 'accept', content: [text('shown')] })
    expect([result.value, result.meta, textOf(result)]).toEqual([1, { value: 1 }, 'shown'])
  })

  test('a replaced value is validated and rendered again, meta too', async () => {
    const result = await run({ kind: 'accept', value: 2 })
    expect([result.value, result.meta, textOf(result)]).toEqual([2, { value: 2 }, '<2>'])
    expect(codeOf(await run({ kind: 'accept', value: 'two' }))).toBe('INVALID_TOOL_OUTPUT')
  })

  test('accepting adds contexts to those of the body; a block drops them and keeps its own', async () => {
    expect((await run({ kind: 'accept', additionalContexts: [context('policy')] })).additionalContexts).toEqual([
      context('body'),
      context('policy'),
    ])
    const blocked = await run({ kind: 'block', feedback: [text('try again')], additionalContexts: [context('policy')] })
    expect(blocked.additionalContexts).toEqual([context('policy')])
    expect([codeOf(blocked), textOf(blocked), blocked.value]).toEqual(['RESULT_BLOCKED', 'try again', undefined])
  })

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an unknown decision', { kind: 'maybe' }],
    ['both content and value', { kind: 'accept', content: [], value: 1 }],
    ['feedback that is no content', { kind: 'block', feedback: 'no' }],
    ['contexts that are none', { kind: 'accept', additionalContexts: ['x'] }],
  ])('a listener that answers %s fails the call', async (_what, decision) => {
    expect(codeOf(await run(decision as never))).toBe('POLICY_FAILED')
  })

  test('after post-execute the caller’s cancellation replaces a success, never a failure', async () => {
    for (const [decision, code] of [
      [{ kind: 'accept' }, 'ABORTED'],
      [{ kind: 'block', feedback: [text('no')] }, 'RESULT_BLOCKED'],
    ] as const) {
      const { runtime } = testRuntime()
      const controller = new AbortController()
      runtime.tools.register(rawTool('t', async (_args, exec) => (exec.deferContext(context('kept')), 1)))
      runtime.on('tools/post-execute', async () => {
        controller.abort()
        return decision as PostToolDecision
      })
      const result = await runtime.call('t', {}, { signal: controller.signal })
      expect(codeOf(result)).toBe(code)
      if (code === 'ABORTED') expect(result.additionalContexts).toEqual([context('kept')])
    }
  })

  test('projectContent runs once before policies see the content, and a policy’s replacement wins', async () => {
    const projected = await run({ kind: 'accept' }, { projectContent: () => [text('projected')] })
    expect(textOf(projected)).toBe('projected')
    const replaced = await run({ kind: 'accept', content: [text('policy')] }, { projectContent: () => [text('projected')] })
    expect(textOf(replaced)).toBe('policy')
  })
})

describe('finalizeContent', () => {
  test('runs exactly once for failures that bypass post-execute too, and undefined keeps the content', async () => {
    const { runtime } = testRuntime()
    let runs = 0
    runtime.tools.register(rawTool('t', async () => 1, { finalizeContent: () => void runs++ }))
    const { results } = await runtime.tools.execute({ calls: [call('t', '{"a":'), call('t')], signal: live })
    expect(runs).toBe(2)
    expect(results.map(({ result }) => textOf(result).length > 0)).toEqual([true, true])
  })

  test('one that throws keeps the content and raises a diagnostic', async () => {
    const { runtime } = testRuntime()
    const told: ToolDiagnostic[] = []
    runtime.on('tools/diagnostic', (diagnostic) => void told.push(diagnostic))
    runtime.tools.register(
      rawTool('t', async () => 1, {
        finalizeContent: () => {
          throw new Error('x')
        },
      }),
    )
    expect(textOf(await runtime.call('t'))).toBe('1')
    expect(told).toEqual([expect.objectContaining({ kind: 'finalize-content-failed', tool: 't' })])
  })

  test('both callbacks are captured when the call starts', async () => {
    const { runtime } = testRuntime()
    const definition = rawTool('t', async () => {
      Object.assign(definition, { finalizeContent: () => [text('changed')], projectContent: () => [text('changed')] })
      return 1
    })
    runtime.tools.register(definition)
    expect(textOf(await runtime.call('t'))).toBe('1')
  })
})

describe('observers of tools/result', () => {
  test('cannot change anything, and their failures are contained and told to the logger', async () => {
    const { runtime, logger } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    const heard: number[] = []
    runtime.on('tools/result', function throwing() {
      throw new Error('observer bug')
    })
    runtime.on('tools/result', (async () => Promise.reject(new Error('async bug'))) as never)
    runtime.on('tools/result', (_exec, result) => {
      expect(() => Object.assign(result, { content: [] })).toThrow(TypeError)
      heard.push(1)
      return undefined
    })
    expect((await runtime.call('t')).value).toBe(1)
    await settleMicrotasks()
    expect(heard).toEqual([1])
    const messages = logger.entries.map((entry) => entry.message).join('\n')
    expect(messages).toMatch(/throwing.*observer bug/)
    expect(messages).toMatch(/async bug/)
  })
})

describe('cancellation', () => {
  test('a body that only ends on its signal is ended by the abort, and the result is ABORTED', async () => {
    const { runtime } = testRuntime()
    const controller = new AbortController()
    const begun = createLatch()
    runtime.tools.register(
      rawTool('t', async (_args, exec) => {
        begun.open()
        await new Promise<void>((resolve) => exec.signal.addEventListener('abort', () => resolve()))
        expect(exec.signal.reason).toBe('enough')
        return 1
      }),
    )
    const result = runtime.call('t', {}, { signal: controller.signal })
    await begun.opened
    controller.abort('enough')
    expect(codeOf(await result)).toBe('ABORTED')
  })

  test('a body that throws the cancellation itself, as platforms do, is ABORTED; any other failure says more', async () => {
    const throws: Record<string, (signal: AbortSignal) => unknown> = {
      reason: (signal) => signal.reason,
      'an AbortError of its own': () => new DOMException('stopped', 'AbortError'),
      'a Node AbortError': (signal) => Object.assign(new Error('The operation was aborted'), { code: 'ABORT_ERR', cause: signal.reason }),
      failure: () => Object.assign(new Error('half written'), { code: 'HALF_WRITTEN' }),
    }
    for (const [what, make] of Object.entries(throws)) {
      for (const reason of [undefined, new Error('user said stop'), 'enough']) {
        const { runtime } = testRuntime()
        const controller = new AbortController()
        runtime.tools.register(
          rawTool('t', async (_args, { signal }) => {
            controller.abort(reason)
            throw make(signal)
          }),
        )
        expect([what, codeOf(await runtime.call('t', {}, { signal: controller.signal }))]).toEqual([
          what,
          what === 'failure' ? 'HALF_WRITTEN' : 'ABORTED',
        ])
      }
    }
  })

  test('an AbortError without a cancellation is a failure of the tool', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => Promise.reject(new DOMException('inner', 'AbortError'))))
    expect(codeOf(await runtime.call('t'))).toBe('TOOL_FAILED')
  })

  test('what is said of effects is what the tool declares', async () => {
    for (const [effects, said] of [
      ['none', false],
      ['idempotent', true],
      ['unknown', true],
    ] as const) {
      const { runtime } = testRuntime()
      const controller = new AbortController()
      runtime.tools.register(rawTool('ok', async () => (controller.abort(), 1), { effects }))
      expect(textOf(await runtime.call('ok', {}, { signal: controller.signal })).includes('may have had effects')).toBe(said)
    }
  })

  test('a body that ignores its signal is waited for, its failure says more than the cancellation', async () => {
    const { runtime } = testRuntime()
    const controller = new AbortController()
    const hold = createLatch()
    runtime.tools.register(rawTool('t', async () => (await hold.opened, Promise.reject(Object.assign(new Error('x'), { code: 'REAL' })))))
    const result = runtime.call('t', {}, { signal: controller.signal })
    await settleMicrotasks()
    controller.abort()
    hold.open()
    expect(codeOf(await result)).toBe('REAL')
  })

  test('a replaced signal cannot detach the caller: the body sees both', async () => {
    for (const which of ['caller', 'wrapper'] as const) {
      const { runtime } = testRuntime()
      const controllers = { caller: new AbortController(), wrapper: new AbortController() }
      const begun = createLatch()
      runtime.tools.register(
        rawTool('t', async (_args, exec) => {
          begun.open()
          await new Promise<void>((resolve) => exec.signal.addEventListener('abort', () => resolve()))
          return exec.signal.reason
        }),
      )
      runtime.on('tools/execute', async (exec, next) => {
        exec.signal = controllers.wrapper.signal
        return next()
      })
      const result = runtime.call('t', {}, { signal: controllers.caller.signal })
      await begun.opened
      controllers[which].abort(which)
      expect((await result).value).toBe(which === 'wrapper' ? 'wrapper' : undefined)
    }
  })

  test('after the wrappers the signal is the call’s own again', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    const replaced = AbortSignal.abort('deadline')
    runtime.on('tools/execute', async (exec, next) => {
      exec.signal = replaced
      return next()
    })
    runtime.on('tools/post-execute', async (exec, _result, next) => {
      expect(exec.signal.aborted).toBe(false)
      return next()
    })
    expect((await runtime.call('t')).value).toBe(1)
  })

  test('a body still running a while after its signal fired raises tools/stalled, and is waited for', async () => {
    const { runtime, clock } = testRuntime()
    const controller = new AbortController()
    const hold = createLatch()
    const stalls: unknown[] = []
    runtime.on('tools/stalled', (exec, since) => void stalls.push([exec.name, since]))
    runtime.tools.register(rawTool('stuck', async () => hold.opened))
    runtime.tools.register(rawTool('quick', async () => 1))
    const result = runtime.call('stuck', {}, { signal: controller.signal })
    await settleMicrotasks()
    clock.advance(100)
    controller.abort()
    clock.advance(4_999)
    expect(stalls).toEqual([])
    clock.advance(1)
    expect(stalls).toEqual([['stuck', { abortedAtMs: 100, waitedMs: 5_000 }]])
    hold.open()
    await result
    expect(clock.pending).toBe(0)
  })

  test('how long that while is, is the runtime’s stallWarningMs', async () => {
    const { runtime, clock } = testRuntime({ limits: { stallWarningMs: 20 } })
    const controller = new AbortController()
    const hold = createLatch()
    const stalls: unknown[] = []
    runtime.on('tools/stalled', (_exec, since) => void stalls.push(since.waitedMs))
    runtime.tools.register(rawTool('t', async () => hold.opened))
    const result = runtime.call('t', {}, { signal: controller.signal })
    await settleMicrotasks()
    controller.abort()
    clock.advance(19)
    expect(stalls).toEqual([])
    clock.advance(1)
    expect(stalls).toEqual([20])
    hold.open()
    await result
  })

  test('a body that settles in time raises nothing', async () => {
    const { runtime, clock } = testRuntime()
    const controller = new AbortController()
    const hold = createLatch()
    const stalls: unknown[] = []
    runtime.on('tools/stalled', () => void stalls.push(1))
    runtime.tools.register(rawTool('t', async () => hold.opened))
    const result = runtime.call('t', {}, { signal: controller.signal })
    await settleMicrotasks()
    controller.abort()
    hold.open()
    await result
    clock.advance(10_000)
    expect(stalls).toEqual([])
  })
})

describe('progress', () => {
  test('observers get text and values live', async () => {
    const { runtime } = testRuntime()
    const seen: unknown[] = []
    runtime.on('tools/progress', (_exec, progress) => void seen.push(progress))
    runtime.tools.register(
      rawTool('t', async (_args, exec) => {
        exec.progress('half')
        await settleMicrotasks()
        exec.progress({ done: 1 })
        await settleMicrotasks()
        expect(seen).toHaveLength(2)
        return 1
      }),
    )
    await runtime.call('t')
    expect(seen).toEqual([{ text: 'half' }, { value: { done: 1 } }])
  })

  test('a slow observer gets the newest: what came between is dropped', async () => {
    const { runtime } = testRuntime()
    const seen: unknown[] = []
    const slow = createLatch()
    const allSent = createLatch()
    runtime.on('tools/progress', (async (_exec: unknown, progress: { value?: unknown }) => {
      seen.push(progress.value)
      await slow.opened
    }) as never)
    runtime.tools.register(
      rawTool('t', async (_args, exec) => {
        for (let n = 0; n < 100; n++) {
          exec.progress(n)
          if (n === 0) await settleMicrotasks()
        }
        allSent.open()
        slow.open()
        await settleMicrotasks()
        return 1
      }),
    )
    await runtime.call('t')
    expect(seen).toEqual([0, 99])
  })

  test('nothing is delivered after the body settled', async () => {
    const { runtime } = testRuntime()
    const seen: unknown[] = []
    let late: (() => void) | undefined
    runtime.on('tools/progress', (_exec, progress) => void seen.push(progress))
    runtime.tools.register(
      rawTool('t', async (_args, exec) => {
        late = () => exec.progress('late')
        return 1
      }),
    )
    await runtime.call('t')
    late?.()
    await settleMicrotasks()
    expect(seen).toEqual([])
  })

  test('a value that is not lossless JSON is an error to the body that reports it', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async (_args, exec) => exec.progress({ at: new Date() } as never)))
    expect(textOf(await runtime.call('t'))).toContain('$.at')
  })
})

describe('one result per call, ever', () => {
  test('a body that calls back late changes nothing and raises a diagnostic', async () => {
    const { runtime } = testRuntime()
    const told: ToolDiagnostic[] = []
    runtime.on('tools/diagnostic', (diagnostic) => void told.push(diagnostic))
    let late: (() => void) | undefined
    runtime.tools.register(
      rawTool('t', async (_args, exec) => {
        late = () => {
          exec.deferContext(context('late'))
          exec.concludeTurn()
        }
        return 1
      }),
    )
    const result = await runtime.call('t')
    late?.()
    expect(result.additionalContexts).toBeUndefined()
    expect(told.map((diagnostic) => diagnostic.kind)).toEqual(['late-call', 'late-call'])
  })

  test('a listener or a tool that comes or goes in mid-call changes nothing for that call', async () => {
    const { runtime } = testRuntime()
    const seen: string[] = []
    const dispose = runtime.tools.register(
      rawTool('t', async () => {
        dispose()
        runtime.on('tools/post-execute', async (_exec, _result, next) => (seen.push('new'), next()))
        removeOld()
        return 1
      }),
    )
    const removeOld = runtime.on('tools/post-execute', async (_exec, _result, next) => (seen.push('old'), next()))
    expect((await runtime.call('t')).value).toBe(1)
    expect(seen).toEqual(['old'])
  })
})
