import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, codeOf, live, rawTool, settleMicrotasks, testRuntime, textOf } from '../../test/fixtures.ts'
import { ToolExecutionPipeline } from '../executor/door.ts'
import type { Agent, ContentBlock, PreToolDecision, ToolDiagnostic, UserMessage } from '../index.ts'
import { ToolError, toToolCallId } from '../index.ts'
import { createLatch } from '../testing/door.ts'

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const context = (value: string): UserMessage => ({ source: { kind: 'plugin', name: 'p' }, content: [text(value)] })
const unhandled: unknown[] = []
const note = (reason: unknown) => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(async () => {
  await settleMicrotasks()
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

const agentOf = (runtime: ReturnType<typeof testRuntime>['runtime']): Agent => {
  const agent: Agent = { id: 'a' }
  runtime.child(agent)
  return agent
}

describe('what was approved is what runs', () => {
  test('no listener and no wrapper can rewrite arguments or identity', async () => {
    const { runtime } = testRuntime()
    const agent = agentOf(runtime)
    const ran: unknown[] = []
    const refused: string[] = []
    const rewrite = (exec: object, field: string, value: unknown) => {
      try {
        Object.assign(exec, { [field]: value })
      } catch {
        refused.push(field)
      }
    }
    runtime.tools.register(rawTool('rm', async (args, exec) => ran.push([args, exec.name, exec.agent === agent])))
    runtime.on('tools/pre-execute', async (exec, next) => {
      rewrite(exec, 'callId', 'other')
      rewrite(exec, 'agent', { id: 'root' })
      return next()
    })
    runtime.on('tools/execute', async (exec, next) => {
      rewrite(exec, 'arguments', { path: '/' })
      rewrite(exec, 'name', 'ls')
      return next()
    })
    await runtime.call('rm', { path: 'tmp' }, { agent })
    expect(ran).toEqual([[{ path: 'tmp' }, 'rm', true]])
    expect(refused).toEqual(['callId', 'agent', 'arguments', 'name'])
  })

  test('results are frozen before wrappers, projections and policies see them', async () => {
    const { runtime } = testRuntime()
    const refused: string[] = []
    const rewrite = (where: string, result: object) => {
      try {
        Object.assign(result, { isError: false, value: new Date(), content: [] })
      } catch {
        refused.push(where)
      }
    }
    const projectContent = (_exec: unknown, result: object) => void rewrite('project', result)
    runtime.tools.register(rawTool('good', async () => 1, { projectContent }))
    runtime.tools.register(rawTool('bad', async () => Promise.reject(new Error('x')), { projectContent }))
    runtime.on('tools/execute', async (_exec, next) => {
      const result = await next()
      rewrite('execute', result)
      return result
    })
    runtime.on('tools/post-execute', async (_exec, result, next) => (rewrite('post', result), next()))
    expect((await runtime.call('good')).value).toBe(1)
    expect((await runtime.call('bad')).isError).toBe(true)
    expect(refused).toEqual(['execute', 'project', 'post', 'execute', 'project', 'post'])
  })

  test('a definition handed in runs in no disposed scope, whose guards are gone', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    child.tools.guard(() => 'never')
    let ran = false
    const definition = { ...rawTool('x', async () => (ran = true)), name: 'run_code' }
    const pipeline = new ToolExecutionPipeline(runtime)
    const input = { callId: toToolCallId('c'), name: 'run_code', arguments: {}, agent, signal: live }
    expect(codeOf(await pipeline.execute(input, { definition }))).toBe('GUARD_DENIED')
    child.dispose()
    expect(codeOf(await pipeline.execute(input, { definition }))).toBe('UNKNOWN_TOOL')
    expect(ran).toBe(false)
  })
})

describe('nothing hostile rejects a call, and nothing opens a policy that broke', () => {
  const hostile: Record<string, unknown> = {
    'a function whose toString throws': Object.assign(() => 1, {
      toString: () => {
        throw new Error('no')
      },
    }),
    'an object without a prototype': Object.create(null),
    'a proxy that refuses everything': new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap')
        },
        getPrototypeOf: () => {
          throw new Error('trap')
        },
      },
    ),
    'a symbol': Symbol('s'),
    nothing: undefined,
    null: null,
    'an error whose message throws': Object.defineProperty(new Error(), 'message', {
      get: () => {
        throw new Error('no')
      },
    }),
  }
  for (const [what, thrown] of Object.entries(hostile)) {
    const raise = async () => {
      throw thrown
    }
    test(`${what}, thrown by a body`, async () => {
      const { runtime } = testRuntime()
      runtime.tools.register(rawTool('t', raise))
      expect(codeOf(await runtime.call('t'))).toBe('TOOL_FAILED')
    })
    test(`${what}, thrown by a policy that another one hides`, async () => {
      const { runtime } = testRuntime()
      let ran = false
      runtime.tools.register(rawTool('t', async () => (ran = true)))
      runtime.on('tools/pre-execute', async (_exec, next) => next().catch((): PreToolDecision => ({ kind: 'allow' })))
      runtime.on('tools/pre-execute', raise)
      expect(codeOf(await runtime.call('t'))).toBe('POLICY_FAILED')
      expect(ran).toBe(false)
    })
    test(`${what}, thrown by an observer or a disposer`, async () => {
      const { runtime } = testRuntime()
      runtime.tools.register(rawTool('t', async () => 1))
      runtime.on('tools/result', () => {
        throw thrown
      })
      expect((await runtime.call('t')).value).toBe(1)
      const undone: number[] = []
      runtime.effect(() => () => void undone.push(1))
      runtime.effect(() => () => {
        throw thrown
      })
      runtime.dispose()
      expect(undone).toEqual([1])
    })
  }

  const throwing = (field: string) =>
    Object.defineProperty({ outcome: 'allowed-once', kind: 'allow' }, field, {
      get: () => {
        throw new Error('no')
      },
    })

  test('an approval answer that cannot be read is a denial that says so', async () => {
    for (const answer of [throwing('outcome'), throwing('expired'), throwing('note')]) {
      const { runtime } = testRuntime()
      const agent = agentOf(runtime)
      runtime.tools.register(rawTool('t', async () => 1))
      runtime.on('tools/pre-execute', async () => ({ kind: 'ask' }))
      runtime.provide('approval', { request: async () => answer as never })
      expect(codeOf(await runtime.call('t', {}, { agent }))).toBe('APPROVAL_UNAVAILABLE')
    }
  })

  test('a decision that cannot be read fails the call; one that changes between reads is read once', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    const remove = runtime.on('tools/pre-execute', async () => throwing('kind') as never)
    expect(codeOf(await runtime.call('t'))).toBe('POLICY_FAILED')
    remove()
    let reads = 0
    const shifty = Object.defineProperty({ reason: 'no' }, 'kind', { get: () => (reads++ === 0 ? 'deny' : 'allow') })
    runtime.on('tools/pre-execute', async () => shifty as never)
    expect(codeOf(await runtime.call('t'))).toBe('DENIED')
  })

  test('callbacks that must answer at once and answer a failing promise are misuse, not an unhandled rejection', async () => {
    const late = async () => Promise.reject(new Error('late'))
    const output = { schema: {}, render: () => [text('x')] }
    const misuse: Record<string, readonly [object, string | undefined]> = {
      finalizeContent: [{ finalizeContent: late }, undefined],
      projectContent: [{ projectContent: late }, 'INVALID_TOOL_OUTPUT'],
      render: [{ output: { ...output, render: late } }, 'INVALID_TOOL_OUTPUT'],
      presentationMeta: [{ output: { ...output, presentationMeta: late } }, 'INVALID_TOOL_OUTPUT'],
      isConcurrencySafe: [{ isConcurrencySafe: late }, undefined],
    }
    for (const [field, [extra, code]] of Object.entries(misuse)) {
      const { runtime } = testRuntime()
      runtime.tools.register(rawTool('t', async () => 1, extra as never))
      const { results } = await runtime.tools.execute({ calls: [call('t')], signal: live })
      expect([field, codeOf(results[0]!.result)]).toEqual([field, code])
    }
  })

  test('a logger that throws changes nothing', async () => {
    const { runtime } = testRuntime()
    const { createRuntime } = await import('../index.ts')
    const boom = () => {
      throw new Error('disk full')
    }
    const broken = createRuntime({ logger: { debug: boom, info: boom, warn: boom, error: boom } })
    for (const each of [runtime, broken]) {
      each.tools.register(rawTool('t', async () => 1, { finalizeContent: boom }))
      each.on('tools/result', boom)
      expect((await each.call('t')).value).toBe(1)
    }
  })
})

describe('a denial stays a denial', () => {
  test.each<[string, unknown, string]>([
    ['an identity with a field that is undefined', { name: 'Q', code: 'QUOTA', reason: undefined }, 'QUOTA'],
    ['an identity that is none', { name: 'Q' }, 'DENIED'],
    ['an empty code', { name: 'Q', code: '' }, 'DENIED'],
  ])('with %s', async (_what, info, code) => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    runtime.on('tools/pre-execute', async () => ({ kind: 'deny', reason: 'no', info: info as never }))
    const result = await runtime.call('t')
    expect(codeOf(result)).toBe(code)
    expect(textOf(result)).toContain('no')
  })

  test('with a projectContent that fails on it: the failure stays, and a diagnostic tells', async () => {
    const { runtime } = testRuntime()
    const told: ToolDiagnostic[] = []
    runtime.on('tools/diagnostic', (diagnostic) => void told.push(diagnostic))
    runtime.tools.register(
      rawTool('t', async () => 1, { projectContent: (_exec, result) => [text((result.value as unknown as { a: string }).a)] }),
    )
    runtime.tools.guard(() => 'read only')
    const result = await runtime.call('t')
    expect(codeOf(result)).toBe('GUARD_DENIED')
    expect(told.map(({ kind }) => kind)).toEqual(['project-content-failed'])
  })

  test('nothing says that a body ran which did not', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1, { output: { schema: { type: 'integer' }, render: () => [] } }))
    runtime.on('tools/execute', async () => ({ isError: false, value: 'x', content: [] }))
    const result = await runtime.call('t')
    expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT')
    expect(textOf(result)).not.toContain('It ran')
  })
})

describe('signals', () => {
  test('a signal read after the call is over costs the caller no listener', async () => {
    const { runtime } = testRuntime()
    const { signal } = new AbortController()
    let listeners = 0
    const add = signal.addEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    }
    const remove = signal.removeEventListener.bind(signal)
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    runtime.tools.register(rawTool('t', async () => 1))
    const late = createLatch<AbortSignal>()
    runtime.on('tools/result', (exec) => {
      setImmediate(() => late.open(exec.signal))
      return undefined
    })
    await runtime.call('t', {}, { signal })
    expect((await late.opened).aborted).toBe(false)
    expect(listeners).toBe(0)
  })

  test('the signal is made when first read: a call that nobody reads it of makes none', async () => {
    const { runtime } = testRuntime()
    const Original = globalThis.AbortController
    let made = 0
    globalThis.AbortController = class extends Original {
      constructor() {
        super()
        made++
      }
    }
    try {
      runtime.tools.register(rawTool('blind', async () => 1))
      runtime.tools.register(rawTool('reads', async (_args, exec) => exec.signal.aborted))
      await runtime.call('blind')
      expect(made).toBe(0)
      await runtime.call('reads')
      expect(made).toBe(1)
    } finally {
      globalThis.AbortController = Original
    }
  })

  test('a signal replaced while the body runs still carries the caller, to whoever reads it later', async () => {
    const { runtime } = testRuntime()
    const controller = new AbortController()
    const begun = createLatch()
    const replaced = createLatch()
    runtime.tools.register(
      rawTool('t', async (_args, exec) => {
        begun.open()
        await replaced.opened
        await new Promise<void>((resolve) => exec.signal.addEventListener('abort', () => resolve()))
        return 1
      }),
    )
    runtime.on('tools/execute', async (exec, next) => {
      const result = next()
      await begun.opened
      exec.signal = new AbortController().signal
      replaced.open()
      return result
    })
    const result = runtime.call('t', {}, { signal: controller.signal })
    await replaced.opened
    await settleMicrotasks()
    controller.abort()
    expect(codeOf(await result)).toBe('ABORTED')
  })

  test('500 calls that share one replacement put one listener on it', async () => {
    const { runtime } = testRuntime()
    const { signal } = new AbortController()
    let peak = 0
    let listeners = 0
    const add = signal.addEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      peak = Math.max(peak, ++listeners)
      add(...args)
    }
    const remove = signal.removeEventListener.bind(signal)
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    runtime.tools.register(rawTool('t', async () => settleMicrotasks().then(() => 1), { isConcurrencySafe: () => true }))
    runtime.on('tools/execute', async (exec, next) => {
      exec.signal = signal
      return next()
    })
    await runtime.tools.execute({ calls: Array.from({ length: 500 }, () => call('t')), signal: live, maxParallelToolCalls: 500 })
    expect([peak, listeners]).toEqual([1, 0])
  })
})

describe('attempts', () => {
  test('an attempt that an inner wrapper answers for drops what the one before left', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async (_args, exec) => (exec.deferContext(context('first')), exec.concludeTurn(), 1)))
    let attempts = 0
    runtime.on('tools/execute', async (_exec, next) => (await next(), next()))
    runtime.on('tools/execute', async (_exec, next) => (attempts++ === 0 ? next() : { isError: false, value: 2, content: [] }))
    const result = await runtime.call('t')
    expect([result.value, result.additionalContexts, result.concludesTurn]).toEqual([2, undefined, undefined])
  })

  test('returning the result of an abandoned attempt brings none of its contexts back', async () => {
    const { runtime } = testRuntime()
    let attempts = 0
    runtime.tools.register(rawTool('t', async (_args, exec) => (exec.deferContext(context(`attempt ${++attempts}`)), attempts)))
    runtime.on('tools/execute', async (_exec, next) => {
      const first = await next()
      await next()
      return first
    })
    expect((await runtime.call('t')).additionalContexts).toEqual([context('attempt 2')])
  })

  test('only a success concludes the turn: a body that failed concludes nothing, whatever a wrapper makes of it', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(
      rawTool('t', async (_args, exec) => {
        exec.concludeTurn()
        throw new Error('x')
      }),
    )
    runtime.on('tools/execute', async (_exec, next) => {
      await next()
      return { isError: false, value: 'fallback', content: [] }
    })
    const result = await runtime.call('t')
    expect([result.value, result.concludesTurn]).toEqual(['fallback', undefined])
  })

  test('contexts that the body deferred survive cancellation', async () => {
    const { runtime } = testRuntime()
    const controller = new AbortController()
    runtime.tools.register(
      rawTool('t', async (_args, exec) => {
        exec.deferContext(context('kept'))
        controller.abort()
        return 1
      }),
    )
    const result = await runtime.call('t', {}, { signal: controller.signal })
    expect([codeOf(result), result.additionalContexts]).toEqual(['ABORTED', [context('kept')]])
  })

  test('a getter in content is read once, and one that fails is named by its place', async () => {
    const { runtime } = testRuntime()
    let reads = 0
    const counting = {
      type: 'text',
      get text() {
        return `read ${++reads}`
      },
    }
    const failing = {
      type: 'text',
      get text() {
        throw new Error('boom')
      },
    }
    runtime.tools.register(rawTool('counting', async () => 1, { output: { schema: {}, render: () => [counting] as never } }))
    runtime.tools.register(rawTool('failing', async () => 1, { output: { schema: {}, render: () => [failing] as never } }))
    expect((await runtime.call('counting')).content).toEqual([{ type: 'text', text: 'read 1' }])
    expect((await runtime.call('failing')).error?.message).toMatch(/\$\[0\]\.text cannot be read: boom/)
  })

  test('the failure that policies see cannot be changed by them', async () => {
    const { runtime } = testRuntime()
    runtime.tools.guard(() => 'never')
    runtime.tools.register(rawTool('t', async () => 1))
    runtime.on('tools/post-execute', async (_exec, result, next) => {
      expect(() => Object.assign(result.error?.info ?? {}, { code: 'FORGED' })).toThrow(TypeError)
      return next()
    })
    expect(codeOf(await runtime.call('t'))).toBe('GUARD_DENIED')
  })

  test('contexts are made well-formed, too', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async (_args, exec) => (exec.deferContext(context('a\ud800b')), 1)))
    expect((await runtime.call('t')).additionalContexts).toEqual([context('a\ufffdb')])
  })

  test("a body's methods may be taken apart", async () => {
    const { runtime } = testRuntime()
    const seen: unknown[] = []
    runtime.on('tools/progress', (_exec, progress) => void seen.push(progress))
    runtime.tools.register(
      rawTool('t', async (_args, { progress, deferContext, concludeTurn }) => {
        progress('half')
        deferContext(context('kept'))
        concludeTurn()
        await settleMicrotasks()
        return 1
      }),
    )
    const result = await runtime.call('t')
    expect([seen, result.additionalContexts, result.concludesTurn]).toEqual([[{ text: 'half' }], [context('kept')], true])
  })
})

test('a wrapper or a body that settles twice settles once', async () => {
  const { runtime } = testRuntime()
  const twice = (first: unknown, second: unknown) => ({
    // biome-ignore lint/suspicious/noThenProperty: a thenable that breaks the rules
    then(resolve: (value: unknown) => void) {
      resolve(first)
      resolve(second)
    },
  })
  runtime.tools.register(rawTool('t', (() => twice('one', 'two')) as never))
  const results: unknown[] = []
  runtime.on('tools/result', (_exec, result) => void results.push(result.value))
  runtime.on('tools/execute', ((_exec: unknown, next: () => Promise<unknown>) =>
    twice(next(), { isError: true, error: { message: 'x' }, content: [] })) as never)
  expect((await runtime.call('t')).value).toBe('one')
  await settleMicrotasks()
  expect(results).toEqual(['one'])
})

describe('failures of wrappers', () => {
  test('an error with a code of its own keeps it, and is never retryable', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    runtime.on('tools/execute', async () => {
      throw new ToolError('no quota', { code: 'QUOTA', retryable: true })
    })
    const result = await runtime.call('t')
    expect([codeOf(result), textOf(result), result.error?.info?.retryable]).toEqual(['QUOTA', 'Error: no quota', undefined])
  })

  test('a failure that a wrapper makes keeps its meta', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    runtime.on('tools/execute', async () => ({ isError: true, error: { message: 'x' }, content: [], meta: { tries: 3 } }))
    expect((await runtime.call('t')).meta).toEqual({ tries: 3 })
  })
})

test('a tool that exists and is not offered in this step is said to be so, not suggested', async () => {
  const { runtime } = testRuntime()
  runtime.tools.register(
    rawTool('foo', async () => 1),
    { when: () => true },
  )
  const result = await runtime.call('foo')
  expect(codeOf(result)).toBe('UNKNOWN_TOOL')
  expect(textOf(result)).toMatch(/not offered in this step/)
  expect(textOf(await runtime.call('fooo'))).not.toContain('"foo"?')
})
