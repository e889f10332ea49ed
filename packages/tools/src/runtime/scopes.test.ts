import { describe, expect, test, vi } from 'vitest'
import { call, codeOf, live, rawTool, settleMicrotasks, testRuntime, textOf } from '../../test/fixtures.ts'
import type { ResultStore } from '../contract/ports.ts'
import { type Agent, type Host, ToolBatchExecutionError, type ToolExecutor } from '../index.ts'

const value = (result: { value?: unknown }) => result.value

describe('scopes', () => {
  test('views inherit down, and the nearest registration wins', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    runtime.tools.register(rawTool('who', async () => 'root'))
    expect(value(await runtime.call('who', {}, { agent }))).toBe('root')
    child.tools.register(rawTool('who', async () => 'child'))
    expect(value(await runtime.call('who', {}, { agent }))).toBe('child')
    expect(value(await runtime.call('who'))).toBe('root')
  })

  test('an omitted scope or agent means the root view, whichever scope is asked', async () => {
    const { runtime } = testRuntime()
    const child = runtime.child({})
    child.tools.register(rawTool('own', async () => 1))
    expect(child.tools.get('own')).toBeUndefined()
    expect(child.tools.definitions()).toEqual([])
    expect(codeOf(await child.call('own'))).toBe('UNKNOWN_TOOL')
  })

  test('a key that was never bound is seen at the root', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('who', async () => 'root'))
    expect(value(await runtime.call('who', {}, { agent: { id: 'stranger' } }))).toBe('root')
  })

  test('a key is bound once, even after its scope is disposed', () => {
    const { runtime } = testRuntime()
    const key = {}
    const child = runtime.child(key)
    expect(() => runtime.child(key)).toThrow(/bound once/)
    child.dispose()
    expect(() => runtime.child(key)).toThrow(/bound once/)
    expect(() => runtime.child('text' as never)).toThrow(/must be an object/)
  })

  test('a disposed key never falls back to its parent: calls and look-ups find nothing', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    runtime.tools.register(rawTool('rm', async () => 'removed'))
    child.tools.restrict({ deny: ['rm'] })
    child.tools.guard(() => 'never')
    child.dispose()
    expect(codeOf(await runtime.call('rm', {}, { agent }))).toBe('UNKNOWN_TOOL')
    expect(runtime.tools.get('rm', agent)).toBeUndefined()
    expect(runtime.tools.executable('rm', agent)).toBeUndefined()
    expect(runtime.tools.definitions(agent)).toEqual([])
    expect(runtime.tools.schemas(agent)).toEqual([])
    expect(child.get('logger')).toBeUndefined()
    expect(runtime.tools.explain('rm', agent)).toMatchObject({ callable: false, because: 'disposed' })
    const batch = runtime.tools.execute({ calls: [call('rm', {}, 'x')], signal: live, agent })
    await expect(batch).rejects.toBeInstanceOf(ToolBatchExecutionError)
  })

  test('scopes above hear which key was disposed, children first, once each; the root has no key to tell of', () => {
    const { runtime } = testRuntime()
    const heard: string[] = []
    const keys = { agent: {}, helper: {}, other: {} }
    const nameOf = (key: object) => Object.entries(keys).find(([, known]) => known === key)?.[0] ?? '?'
    const agent = runtime.child(keys.agent)
    agent.child(keys.helper)
    runtime.child(keys.other)
    runtime.on('tools/disposed', (key) => void heard.push(`root: ${nameOf(key)}`))
    agent.on('tools/disposed', (key) => void heard.push(`agent: ${nameOf(key)}`))
    agent.dispose()
    agent.dispose()
    expect(heard).toEqual(['root: helper', 'agent: helper', 'root: agent'])
    runtime.dispose()
    expect(heard.slice(3)).toEqual(['root: other'])
  })

  test('disposal disposes the scopes below first, then its own registrations in reverse order', () => {
    const { runtime } = testRuntime()
    const order: string[] = []
    const note = (name: string) => () => () => void order.push(name)
    const child = runtime.child({})
    child.effect(note('child 1'))
    const grandchild = child.child({})
    grandchild.effect(note('grandchild'))
    child.effect(note('child 2'))
    runtime.effect(note('root'))
    child.dispose()
    expect(order).toEqual(['grandchild', 'child 2', 'child 1'])
    child.dispose()
    runtime.dispose()
    expect(order).toEqual(['grandchild', 'child 2', 'child 1', 'root'])
  })

  test('disposers are idempotent and bound to their exact registration', () => {
    const { runtime } = testRuntime()
    const first = runtime.tools.register(rawTool('t', async () => 1))
    first()
    const second = rawTool('t', async () => 2)
    runtime.tools.register(second)
    first()
    expect(runtime.tools.get('t')).toBe(second)
  })

  test('what is registered through a disposed scope is refused', () => {
    const { runtime } = testRuntime()
    const child = runtime.child({})
    child.dispose()
    expect(() => child.tools.register(rawTool('t', async () => 1))).toThrow(/disposed/)
    expect(() => child.tools.guard(() => undefined)).toThrow(/disposed/)
    expect(() => child.on('tools/change', () => undefined)).toThrow(/disposed/)
    expect(() => child.child({})).toThrow(/disposed/)
    expect(() => child.provide('results', {} as never)).toThrow(/disposed/)
    expect(() => child.plugin({ apply: () => undefined })).toThrow(/disposed/)
  })

  test('a disposer that throws stops no other, and the host hears of it', () => {
    const { runtime, logger } = testRuntime()
    const undone: string[] = []
    runtime.effect(() => () => void undone.push('a'))
    runtime.effect(() => () => {
      throw new Error('stuck')
    })
    runtime.dispose()
    expect(undone).toEqual(['a'])
    expect(logger.entries).toContainEqual(expect.objectContaining({ level: 'error', message: 'dsh: stuck' }))
  })

  test('disposal waits for nothing that runs: a running call settles, one that has not started finds its tool gone', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    child.tools.register(
      rawTool('last', async () => {
        child.dispose()
        return 'done'
      }),
    )
    const { results } = await runtime.tools.execute({ calls: [call('last'), call('last')], signal: live, agent })
    expect(value(results[0]!.result)).toBe('done')
    expect(codeOf(results[1]!.result)).toBe('UNKNOWN_TOOL')
  })

  test('guards of a scope that is disposed while its call waits for policy still deny that call', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    let ran = false
    runtime.tools.register(
      rawTool('rm', async () => {
        ran = true
        return 1
      }),
    )
    child.tools.guard(() => 'protected')
    runtime.on('tools/pre-execute', async (_exec, next) => {
      child.dispose()
      return next()
    })
    const result = await runtime.call('rm', {}, { agent })
    expect(codeOf(result)).toBe('GUARD_DENIED')
    expect(ran).toBe(false)
  })
})

describe('events across scopes', () => {
  test("an ancestor's listener hears its descendants, not the reverse", async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    runtime.tools.register(rawTool('t', async () => 1))
    const heard: string[] = []
    runtime.on('tools/result', () => void heard.push('root'))
    child.on('tools/result', () => void heard.push('child'))
    await runtime.call('t', {}, { agent })
    expect(heard).toEqual(['root', 'child'])
    await runtime.call('t')
    expect(heard).toEqual(['root', 'child', 'root'])
  })

  test('listeners run in the order they were added across scopes; prepend goes before all of them', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    runtime.tools.register(rawTool('t', async () => 1))
    const heard: string[] = []
    child.on('tools/result', () => void heard.push('child'))
    runtime.on('tools/result', () => void heard.push('root'))
    child.on('tools/result', () => void heard.push('first'), { prepend: true })
    await runtime.call('t', {}, { agent })
    expect(heard).toEqual(['first', 'child', 'root'])
  })

  test('tools/change is unfiltered: a scope hears of changes anywhere, until it is disposed', () => {
    const { runtime } = testRuntime()
    const listening = runtime.child({})
    const other = runtime.child({})
    runtime.tools.register(rawTool('t', async () => 1))
    let changes = 0
    listening.on('tools/change', () => void changes++)
    const dispose = other.tools.register(rawTool('own', async () => 1))
    expect(changes).toBe(1)
    dispose()
    expect(changes).toBe(2)
    const lift = other.tools.restrict({ deny: ['t'] })
    expect(changes).toBe(3)
    lift()
    expect(changes).toBe(4)
    listening.dispose()
    runtime.tools.register(rawTool('more', async () => 1))
    expect(changes).toBe(4)
  })

  test('`this` of a listener is the tools service of the scope the event was dispatched for', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    runtime.tools.register(rawTool('t', async () => 1))
    const scopes: unknown[] = []
    runtime.on('tools/result', function () {
      scopes.push(this.scope)
      return undefined
    })
    child.on('tools/pre-execute', async function (_exec, next) {
      scopes.push(this.scope)
      expect(this.get('t', this.scope)?.name).toBe('t')
      return next()
    })
    await runtime.call('t', {}, { agent })
    await runtime.call('t')
    expect(scopes).toEqual([agent, agent, undefined])
  })

  test('removing a listener removes exactly that one', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    const listener = vi.fn(() => undefined)
    const remove = runtime.on('tools/result', listener)
    runtime.on('tools/result', listener)
    remove()
    remove()
    await runtime.call('t')
    expect(listener).toHaveBeenCalledTimes(1)
  })
})

describe('services', () => {
  test('the nearest service wins, is inherited down, and is gone when withdrawn', () => {
    const { runtime } = testRuntime()
    const child = runtime.child({})
    const rootStore = {} as ResultStore
    const childStore = {} as ResultStore
    const withdraw = runtime.provide('results', rootStore)
    expect(child.get('results')).toBe(rootStore)
    const withdrawOwn = child.provide('results', childStore)
    expect(child.get('results')).toBe(childStore)
    expect(runtime.get('results')).toBe(rootStore)
    withdrawOwn()
    expect(child.get('results')).toBe(rootStore)
    withdraw()
    expect(child.get('results')).toBeUndefined()
  })

  test('what no scope provides is looked up outside, each time, for the scope that looks; a disposed scope finds nothing', () => {
    const asked: unknown[] = []
    let outside: object | undefined = { where: 'outside' }
    const { runtime } = testRuntime({ services: (name, scope) => (asked.push([name, scope]), name === 'results' ? outside : undefined) })
    const agent = { id: 'a' }
    const scope = runtime.child(agent)
    expect([runtime.get('results'), scope.get('results')]).toEqual([outside, outside])
    outside = undefined
    expect([scope.get('results'), scope.get('approval')]).toEqual([undefined, undefined])
    expect(asked).toEqual([
      ['results', undefined],
      ['results', agent],
      ['results', agent],
      ['approval', agent],
    ])
    const own = { where: 'inside' }
    runtime.provide('results', own as never)
    expect(scope.get('results')).toBe(own)
    scope.dispose()
    expect([scope.get('results'), asked.length]).toEqual([undefined, 4])
  })

  test('logger and clock are services everybody finds', () => {
    const { runtime, clock, logger } = testRuntime()
    expect(runtime.child({}).get('clock')).toBe(clock)
    expect(runtime.get('logger')).toBe(logger)
  })
})

describe('plugins', () => {
  test('an object and a function mount, get their config, and everything they registered goes with them', async () => {
    const { runtime } = testRuntime()
    const seen: unknown[] = []
    const mounted = runtime.plugin(
      {
        name: 'both',
        inject: ['tools'],
        apply(host, config: { readonly n: number }) {
          seen.push(config.n)
          host.tools.register(rawTool('from-plugin', async () => 1))
        },
      },
      { n: 4 },
    )
    await mounted
    runtime.plugin((host, config) => {
      seen.push(config)
      host.effect(() => () => void seen.push('gone'))
    }, 'plain')
    expect(seen).toEqual([4, 'plain'])
    expect(runtime.tools.get('from-plugin')).toBeDefined()
    await mounted.dispose()
    expect(runtime.tools.get('from-plugin')).toBeUndefined()
    runtime.dispose()
    expect(seen).toEqual([4, 'plain', 'gone'])
  })

  test('a plugin mounted in a scope is disposed with that scope', () => {
    const { runtime } = testRuntime()
    const key = {}
    const child = runtime.child(key)
    child.plugin({ name: 'p', inject: ['tools'], apply: (host) => void host.tools.register(rawTool('t', async () => 1)) })
    expect(runtime.tools.get('t', key)).toBeDefined()
    child.dispose()
    expect(runtime.tools.get('t', key)).toBeUndefined()
  })

  test('a plugin starts when the services it names are there, stops when one goes, and starts again when it returns', () => {
    const { runtime } = testRuntime()
    const life: string[] = []
    runtime.plugin({
      name: 'needs-results',
      inject: ['results'],
      apply(host) {
        life.push('start')
        host.effect(() => () => void life.push('stop'))
      },
    })
    expect(life).toEqual([])
    const store = {} as ResultStore
    const withdraw = runtime.provide('results', store)
    expect(life).toEqual(['start'])
    withdraw()
    expect(life).toEqual(['start', 'stop'])
    runtime.provide('results', store)
    expect(life).toEqual(['start', 'stop', 'start'])
  })

  test('a plugin that touches host.tools without naming it is told how to say so', async () => {
    const { runtime } = testRuntime()
    const mounted = runtime.plugin({ name: 'shy', apply: (host) => void host.tools.get('x') })
    await expect(Promise.resolve(mounted)).rejects.toThrow(/shy.*inject: \['tools'\]/)
  })

  test('a plugin that fails half-way leaves nothing behind, and says so when awaited', async () => {
    const { runtime, logger } = testRuntime()
    const mounted = runtime.plugin({
      name: 'half',
      inject: ['tools'],
      async apply(host) {
        host.tools.register(rawTool('half', async () => 1))
        await Promise.resolve()
        throw new Error('no config')
      },
    })
    expect(runtime.tools.get('half')).toBeDefined()
    await expect(Promise.resolve(mounted)).rejects.toThrow('no config')
    expect(runtime.tools.get('half')).toBeUndefined()
    expect(logger.entries).toEqual([])
  })

  test('a failure to mount that nobody awaits is told to the logger, once', async () => {
    const { runtime, logger } = testRuntime()
    runtime.plugin({
      name: 'forgotten',
      apply: () => {
        throw new Error('no config')
      },
    })
    await settleMicrotasks()
    expect(logger.entries.map((entry) => entry.message)).toEqual(['dsh: The plugin forgotten could not start.'])
  })

  test('a misspelt event is refused with near names: a policy on it would never run', () => {
    const { runtime } = testRuntime()
    expect(() => runtime.on('tools/preexecute' as 'tools/change', () => undefined)).toThrow(/Did you mean tools\/pre-execute/)
    expect(() => runtime.on('tools/nothing-like-it' as 'tools/change', () => undefined)).toThrow(/The events are/)
    expect(() => runtime.on('mine/event' as 'tools/change', () => undefined)).not.toThrow()
  })

  test('a service that comes and goes while apply runs: the stopped run concerns nobody, the new one counts', async () => {
    const { runtime } = testRuntime()
    const store = {} as ResultStore
    const holds: ((error?: unknown) => void)[] = []
    const mounted = runtime.plugin({
      name: 'flapping',
      inject: ['results', 'tools'],
      apply: (host: Host) =>
        new Promise<void>((resolve, reject) => {
          holds.push((error) => (error ? reject(error) : resolve()))
          host.tools.register(rawTool(`run-${holds.length}`, async () => 1))
        }),
    })
    const withdraw = runtime.provide('results', store)
    withdraw()
    runtime.provide('results', store)
    holds[0]?.(new Error('stopped in the middle'))
    holds[1]?.()
    await mounted
    expect(runtime.tools.definitions().map((tool) => tool.name)).toEqual(['run-2'])
  })

  test('disposing a plugin waits for nothing that runs', async () => {
    const { runtime } = testRuntime()
    const mounted = runtime.plugin({ name: 'endless', apply: () => new Promise<void>(() => undefined) })
    await mounted.dispose()
    const own: { dispose?: () => Promise<void> } = {}
    const selfish = runtime.plugin({ name: 'selfish', apply: async () => Promise.resolve().then(() => own.dispose?.()) })
    own.dispose = () => selfish.dispose()
    await selfish
  })

  test('what a listener registers through `this` goes with its scope', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    runtime.tools.register(rawTool('t', async () => 1))
    let late: (() => unknown) | undefined
    child.on('tools/pre-execute', async function (_exec, next) {
      late = () => this.register(rawTool('late', async () => 1))
      return next()
    })
    await runtime.call('t', {}, { agent })
    child.dispose()
    expect(late).toThrow(/disposed/)
  })

  test('nothing can be made below a scope while its disposers run', () => {
    const { runtime } = testRuntime()
    const child = runtime.child({})
    let made: unknown
    child.effect(() => () => {
      try {
        made = child.child({})
      } catch (error) {
        made = error
      }
    })
    child.dispose()
    expect(made).toBeInstanceOf(Error)
  })

  test.each([[undefined], [{}], [{ apply: 1 }], [{ inject: [1], apply: () => undefined }]])('%j is no plugin', (plugin) => {
    const { runtime } = testRuntime()
    expect(() => runtime.plugin(plugin as never)).toThrow(TypeError)
  })
})

describe('executor selection', () => {
  const named = (name: string): ToolExecutor => ({
    sections: [
      { id: `${name}:late`, order: 20, render: () => 'late' },
      { id: `${name}:early`, order: 10, render: () => 'early' },
    ],
    describe: (tools) => ({ schemas: [], knownNames: [name, ...tools.map((tool) => tool.name)] }),
    execute: async ({ calls }) => ({
      results: calls.map(() => ({ callId: 'x' as never, result: { isError: false, value: name, content: [] } })),
      additionalContexts: [],
      concluded: false,
    }),
  })

  test('the native executor describes every visible tool as a function of its own', () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    expect(runtime.tools.modelInput()).toEqual({
      schemas: [{ name: 't', description: 'The tool t.', parameters: { type: 'object' } }],
      knownNames: ['t'],
    })
    expect(runtime.tools.sections()).toEqual([])
  })

  test('what a model is given and who runs a batch come from the nearest selection', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    runtime.tools.register(rawTool('t', async () => 'native'))
    child.tools.setExecutor(named('mine'))
    expect(runtime.tools.modelInput(agent).knownNames).toEqual(['mine', 't'])
    expect(runtime.tools.sections(agent).map((section) => section.id)).toEqual(['mine:early', 'mine:late'])
    const mine = await runtime.tools.execute({ calls: [call('t')], signal: live, agent })
    const native = await runtime.tools.execute({ calls: [call('t')], signal: live })
    expect([mine.results[0]!.result.value, native.results[0]!.result.value]).toEqual(['mine', 'native'])
  })

  test('disposing the last selection leaves it unavailable: the native one does not come back', async () => {
    const { runtime } = testRuntime()
    const dispose = runtime.tools.setExecutor(named('mine'))
    dispose()
    expect(() => runtime.tools.modelInput()).toThrow(/No executor is selected/)
    expect(() => runtime.tools.sections()).toThrow(/No executor is selected/)
    const error = (await runtime.tools
      .execute({ calls: [call('a', {}, 'x')], signal: live })
      .catch((thrown: unknown) => thrown)) as ToolBatchExecutionError
    expect(error.missing).toEqual([{ index: 0, callId: 'x', name: 'a', bodyStarted: false }])
    runtime.tools.setExecutor(named('next'))
    expect(runtime.tools.modelInput().knownNames).toEqual(['next'])
  })

  test('a disposer is bound to its selection, also when one executor is selected twice', () => {
    const { runtime } = testRuntime()
    const a = named('a')
    const first = runtime.tools.setExecutor(a)
    runtime.tools.setExecutor(named('b'))
    runtime.tools.setExecutor(a)
    first()
    first()
    expect(runtime.tools.modelInput().knownNames).toEqual(['a'])
  })

  test('an accepted batch settles through the executor that took it, even when that one unloads', async () => {
    const { runtime } = testRuntime()
    let unload = () => {}
    const executor = named('mine')
    unload = runtime.tools.setExecutor({
      ...executor,
      async execute(input) {
        unload()
        return executor.execute(input)
      },
    })
    const batch = await runtime.tools.execute({ calls: [call('t')], signal: live })
    expect(batch.results[0]!.result.value).toBe('mine')
  })

  test('runtime.call runs one call through the pipeline, whatever executor is selected', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 'pipeline'))
    runtime.tools.setExecutor(named('other'))
    const result = await runtime.call('t')
    expect(textOf(result)).toBe('"pipeline"')
  })
})
