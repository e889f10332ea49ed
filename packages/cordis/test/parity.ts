import { type Agent, type Host, type Plugin, type Scoped, type ToolExecutor, type ToolsService, toToolCallId } from '@dsh/tools'
import { ToolExecutionPipeline, waterfall } from '@dsh/tools/executor'
import { timeoutPolicy } from '@dsh/tools/policies/timeout'
import { createLatch } from '@dsh/tools/testing'
import { describe, expect, test } from 'vitest'
import { type CreateHost, gist, live, names, rawTool, run } from './fixtures.ts'

/** What a host promises to tools and policies, whichever host it is. */
export function describeHost(name: string, createHost: CreateHost): void {
  describe(name, () => {
    describe('waterfalls', () => waterfalls(createHost))
    describe('scopes', () => scopes(createHost))
    describe('what goes with a plugin', () => lifetimes(createHost))
    describe('listeners', () => listeners(createHost))
    describe('services', () => services(createHost))
    describe('executors and policies', () => executors(createHost))
  })
}

const agentOf = (id: string): Agent => ({ id })
/** A plugin that uses tools. */
const plugin = (name: string, apply: (host: Host) => void | Promise<void>): Plugin => ({ name, inject: ['tools'], apply })

function waterfalls(createHost: CreateHost): void {
  /** Notes who was asked, and goes on. */
  const noting = (host: Host, seen: string[], who: string, options?: { prepend?: boolean }) =>
    host.on('tools/pre-execute', (_exec, next) => (seen.push(who), next()), options)

  test('listeners run in the order in which they were added, the first outermost', async () => {
    const { host } = await createHost()
    const seen: string[] = []
    for (const who of ['a', 'b']) {
      host.on('tools/execute', async (_exec, next) => {
        seen.push(`${who} in`)
        const result = await next()
        seen.push(`${who} out`)
        return result
      })
    }
    host.tools.register(rawTool('t', async () => (seen.push('body'), null)))
    await run(host, 't')
    expect(seen).toEqual(['a in', 'b in', 'body', 'b out', 'a out'])
  })

  test('prepend puts a listener before all others, the newest first', async () => {
    const { host } = await createHost()
    const seen: string[] = []
    noting(host, seen, 'a')
    noting(host, seen, 'first', { prepend: true })
    noting(host, seen, 'b')
    noting(host, seen, 'very first', { prepend: true })
    host.tools.register(rawTool('t'))
    await run(host, 't')
    expect(seen).toEqual(['very first', 'first', 'a', 'b'])
  })

  test('the order holds across scopes', async () => {
    const { host, scope } = await createHost()
    const agent = agentOf('a')
    const below = scope(agent).host
    const seen: string[] = []
    noting(below, seen, 'agent')
    noting(host, seen, 'root')
    noting(below, seen, 'agent first', { prepend: true })
    host.tools.register(rawTool('t'))
    await run(host, 't', agent)
    expect(seen).toEqual(['agent first', 'agent', 'root'])
  })

  test('a pre-execute listener that calls next() twice fails the call, whose body never starts', async () => {
    const { host } = await createHost()
    let started = false
    host.on('tools/pre-execute', async (_exec, next) => {
      await next()
      return next()
    })
    host.tools.register(rawTool('t', async () => (started = true)))
    expect(gist(await run(host, 't'))).toBe('POLICY_FAILED')
    expect(started).toBe(false)
  })

  test('a wrapper may call next() again after it settled, and the last attempt counts', async () => {
    const { host } = await createHost()
    let attempts = 0
    host.on('tools/execute', async (_exec, next) => {
      const first = await next()
      return first.isError ? next() : first
    })
    host.tools.register(
      rawTool('t', async () => {
        attempts++
        if (attempts === 1) throw new Error('not yet')
        return attempts
      }),
    )
    expect(gist(await run(host, 't'))).toBe('2')
  })

  test('a wrapper whose calls of next() overlap is broken', async () => {
    const { host } = await createHost()
    let attempts = 0
    host.on('tools/execute', async (_exec, next) => (await Promise.all([next(), next()]))[0])
    host.tools.register(rawTool('t', async () => ++attempts))
    expect((await run(host, 't')).isError).toBe(true)
    expect(attempts).toBe(1)
  })

  test('a listener that throws fails the call, and the log names its plugin', async () => {
    const { host, logger } = await createHost()
    await host.plugin(
      plugin('strict-policy', (mounted) => {
        mounted.on('tools/pre-execute', () => Promise.reject(new Error('confused')))
      }),
    )
    host.tools.register(rawTool('t'))
    expect(gist(await run(host, 't'))).toBe('POLICY_FAILED')
    expect(logger.entries.map(({ message }) => message)).toEqual([expect.stringMatching(/strict-policy.*confused/)])
  })

  test('a listener that no plugin added goes by the name of its function', async () => {
    const { host, logger } = await createHost()
    host.on('tools/pre-execute', async function nosy() {
      throw new Error('confused')
    })
    host.tools.register(rawTool('t'))
    expect(gist(await run(host, 't'))).toBe('POLICY_FAILED')
    expect(logger.entries.map(({ message }) => message)).toEqual([expect.stringMatching(/nosy.*confused/)])
  })

  test('an observer that throws is told to the logger by the name of its plugin, and changes nothing', async () => {
    const { host, logger } = await createHost()
    await host.plugin(
      plugin('metrics', (mounted) => {
        mounted.on('tools/result', () => {
          throw new Error('full')
        })
      }),
    )
    host.tools.register(rawTool('t'))
    expect(gist(await run(host, 't'))).toBe('"t"')
    expect(logger.entries.map(({ message }) => message)).toEqual([expect.stringMatching(/metrics.*full/)])
  })
}

function scopes(createHost: CreateHost): void {
  test("a listener hears the calls of its scope and of those below, not those above and not a sibling's", async () => {
    const { host, scope } = await createHost()
    const [parent, child, sibling] = [agentOf('parent'), agentOf('child'), agentOf('sibling')]
    const above = scope(parent)
    const below = scope(child, above.host)
    const beside = scope(sibling)
    host.tools.register(rawTool('t'))
    const heard: string[] = []
    for (const [who, at] of Object.entries({ root: host, parent: above.host, child: below.host, sibling: beside.host })) {
      at.on('tools/result', (exec) => void heard.push(`${who} hears ${exec.agent?.id ?? 'nobody'}`))
    }
    for (const agent of [child, parent, sibling, undefined]) await run(host, 't', agent)
    expect(heard).toEqual([
      'root hears child',
      'parent hears child',
      'child hears child',
      'root hears parent',
      'parent hears parent',
      'root hears sibling',
      'sibling hears sibling',
      'root hears nobody',
    ])
  })

  test('tools/change is heard in every scope, whichever scope changed', async () => {
    const { host, scope } = await createHost()
    const [a, b] = [scope(agentOf('a')), scope(agentOf('b'))]
    const heard: string[] = []
    a.host.on('tools/change', () => void heard.push('a'))
    b.host.tools.register(rawTool('in-b'))
    host.tools.register(rawTool('at-root'))
    expect(heard).toEqual(['a', 'a'])
    await a.dispose()
    heard.length = 0
    host.tools.register(rawTool('later'))
    expect(heard).toEqual([])
  })

  test('a plugin mounted in a scope acts in that scope, and so does what it mounts', async () => {
    const { host, scope } = await createHost()
    const agent = agentOf('a')
    const inner = plugin('inner', (mounted) => void mounted.tools.register(rawTool('inner-tool')))
    const outer = plugin('outer', async (mounted) => {
      mounted.tools.register(rawTool('outer-tool'))
      await mounted.plugin(inner)
    })
    await scope(agent).host.plugin(outer)
    expect(names(host, agent)).toEqual(['outer-tool', 'inner-tool'])
    expect(names(host)).toEqual([])
  })

  test('a scope shadows what it inherits, and restricts it', async () => {
    const { host, scope } = await createHost()
    const agent = agentOf('a')
    const below = scope(agent).host
    for (const name of ['x', 'y']) host.tools.register(rawTool(name, async () => `root ${name}`))
    below.tools.register(rawTool('x', async () => 'own x'))
    const lift = below.tools.restrict({ deny: ['y'] })
    expect(gist(await run(host, 'x', agent))).toBe('"own x"')
    expect(gist(await run(host, 'y', agent))).toBe('UNKNOWN_TOOL')
    expect(gist(await run(host, 'y'))).toBe('"root y"')
    lift()
    expect(gist(await run(host, 'y', agent))).toBe('"root y"')
  })

  test('a restriction at the root is refused', async () => {
    const { host } = await createHost()
    host.tools.register(rawTool('x'))
    expect(() => host.tools.restrict({ deny: ['x'] })).toThrow(TypeError)
  })

  test('the key of a disposed scope finds nothing from that moment on, and cannot be bound again', async () => {
    const { host, scope } = await createHost()
    const agent = agentOf('a')
    const { host: below, dispose } = scope(agent)
    host.tools.register(rawTool('t'))
    below.tools.guard(() => 'not for this agent')
    expect(gist(await run(host, 't', agent))).toBe('GUARD_DENIED')
    const disposed = dispose()
    expect(host.tools.executable('t', agent)).toBeUndefined()
    await disposed
    expect(names(host, agent)).toEqual([])
    expect(() => scope(agent)).toThrow(/bound/)
  })

  test('a scope goes with the one above it, and its registrations go first', async () => {
    const { host, scope } = await createHost()
    const [parent, child] = [agentOf('parent'), agentOf('child')]
    const above = scope(parent)
    above.host.tools.guard(() => 'from above')
    const below = scope(child, above.host)
    below.host.tools.register(rawTool('t'))
    const exec = { name: 't', callId: toToolCallId('c'), arguments: {}, signal: live, agent: child } as never
    const seen: unknown[] = []
    host.on('tools/change', () => void seen.push(host.tools.checkGuards(exec)))
    await above.dispose()
    expect(seen).toEqual(['from above'])
    expect(host.tools.checkGuards(exec)).toBeUndefined()
    expect(host.tools.explain('t', child)).toMatchObject({ callable: false, because: 'disposed' })
  })

  test('a listener has as `this` the tools of the scope the call is for', async () => {
    const { host, scope } = await createHost()
    const agent = agentOf('a')
    const below = scope(agent)
    below.host.tools.register(rawTool('t'))
    const seen: unknown[] = []
    const note = (self: Scoped<ToolsService>) => seen.push([self.scope, self.definitions(self.scope).map(({ name }) => name)])
    host.on('tools/pre-execute', function (_exec, next) {
      note(this)
      return next()
    })
    await host.plugin(
      plugin('p', (mounted) => {
        mounted.on('tools/result', function () {
          note(this)
          return undefined
        })
      }),
    )
    await run(host, 't', agent)
    await run(host, 't')
    expect(seen).toEqual([
      [agent, ['t']],
      [agent, ['t']],
      [undefined, []],
      [undefined, []],
    ])
  })
}

function lifetimes(createHost: CreateHost): void {
  test('everything it registered goes when it is unmounted, and nothing else', async () => {
    const { host, scope } = await createHost()
    const agent = agentOf('a')
    const below = scope(agent)
    host.tools.register(rawTool('kept'))
    let heard = 0
    const mount = below.host.plugin(
      plugin('all', (mounted) => {
        mounted.tools.register(rawTool('t'))
        mounted.tools.guard(() => 'guarded')
        mounted.tools.restrict({ deny: ['kept'] })
        mounted.on('tools/result', () => void heard++ as undefined)
      }),
    )
    await mount
    expect(gist(await run(host, 't', agent))).toBe('GUARD_DENIED')
    expect([heard, names(host, agent)]).toEqual([1, ['t']])
    await mount.dispose()
    expect(names(host, agent)).toEqual(['kept'])
    expect(gist(await run(host, 'kept', agent))).toBe('"kept"')
    expect(heard).toBe(1)
  })

  test('a disposer removes exactly its registration, once', async () => {
    const { host } = await createHost()
    const first = host.tools.register(rawTool('t', async () => 1))
    first()
    host.tools.register(rawTool('t', async () => 2))
    first()
    expect(gist(await run(host, 't'))).toBe('2')
  })

  test('a plugin that failed, and one that was stopped, can register nothing any more', async () => {
    const { host } = await createHost()
    host.tools.register(rawTool('t'))
    const kept: Host[] = []
    await host.plugin(plugin('failed', (mounted) => (kept.push(mounted), Promise.reject(new Error('no'))))).then(undefined, () => undefined)
    const results = host.provide('results', {} as never)
    await host.plugin({ name: 'stopped', inject: ['tools', 'results'], apply: (mounted: Host) => void kept.push(mounted) })
    results()
    await Promise.resolve()
    for (const ghost of kept) {
      expect(() => ghost.on('tools/pre-execute', async () => ({ kind: 'deny', reason: 'ghost' }))).toThrow()
      expect(() => ghost.tools.register(rawTool('ghost'))).toThrow()
    }
    expect([kept.length, gist(await run(host, 't')), names(host)]).toEqual([2, '"t"', ['t']])
  })

  test('registrations and effects of a plugin are undone in reverse order', async () => {
    const { host } = await createHost()
    const seen: string[] = []
    const mount = host.plugin(
      plugin('p', (mounted) => {
        mounted.tools.register(rawTool('first'))
        mounted.effect(() => () => void seen.push(`effect sees ${names(host)}`))
        mounted.tools.register(rawTool('second'))
      }),
    )
    await mount
    host.on('tools/change', () => void seen.push(`left: ${names(host)}`))
    await mount.dispose()
    expect(seen).toEqual(['left: first', 'effect sees first', 'left: '])
  })

  test('what a plugin mounted goes before what it had registered itself: a guard outlives the tool that it guards', async () => {
    const { host } = await createHost()
    const seen: unknown[] = []
    const innermost = plugin('innermost', (mounted) => void mounted.tools.register(rawTool('deep')))
    const inner = plugin('inner', async (mounted) => {
      mounted.tools.register(rawTool('guarded'))
      await mounted.plugin(innermost)
    })
    const mount = host.plugin(
      plugin('outer', async (mounted) => {
        mounted.tools.guard(() => 'never')
        mounted.tools.register(rawTool('own'))
        await mounted.plugin(inner)
      }),
    )
    await mount
    const exec = { name: 'own', callId: toToolCallId('c'), arguments: {}, signal: live } as never
    host.on('tools/change', () => void seen.push([names(host), host.tools.checkGuards(exec)]))
    await mount.dispose()
    expect(seen).toEqual([
      [['own', 'guarded'], 'never'],
      [['own'], 'never'],
      [[], 'never'],
    ])
    expect(host.tools.checkGuards(exec)).toBeUndefined()
  })

  test('a plugin that is unmounted while it starts leaves nothing behind, and can register nothing any more', async () => {
    const { host } = await createHost()
    const begun = createLatch()
    const gate = createLatch()
    const outcome = createLatch<unknown>()
    const mount = host.plugin(
      plugin('slow', async (mounted) => {
        mounted.tools.register(rawTool('early'))
        begun.open()
        await gate.opened
        try {
          mounted.tools.register(rawTool('late'))
          outcome.open('registered')
        } catch (error) {
          outcome.open(error)
        }
      }),
    )
    await begun.opened
    const gone = mount.dispose()
    expect(names(host)).toEqual([])
    gate.open()
    await gone
    expect(await outcome.opened).toBeInstanceOf(Error)
    expect(names(host)).toEqual([])
  })

  test('a plugin reloaded in mid-batch: what runs ends as it began, and calls that start later meet the new one', async () => {
    const { host } = await createHost()
    const running = createLatch()
    const gate = createLatch()
    const seen: string[] = []
    const version = (n: number): Plugin =>
      plugin('versioned', (mounted) => {
        mounted.on('tools/post-execute', (exec, _result, next) => (seen.push(`${exec.name} reviewed by ${n}`), next()))
        mounted.tools.register(
          rawTool('slow', async () => {
            running.open()
            await gate.opened
            return n
          }),
        )
        mounted.tools.register(rawTool('quick', async () => n))
      })
    const old = host.plugin(version(1))
    await old
    const raw = (name: string) => ({ type: 'tool-call', name, arguments: '' }) as const
    const batch = host.tools.execute({ calls: [raw('slow'), raw('quick')], signal: live }) // exclusive: quick waits for slow
    await running.opened
    await old.dispose()
    await host.plugin(version(2))
    gate.open()
    expect((await batch).results.map(({ result }) => gist(result))).toEqual(['1', '2'])
    expect(seen).toEqual(['slow reviewed by 1', 'quick reviewed by 2'])
  })

  test('a plugin unmounted in mid-batch: the calls that have not started do not find its tool', async () => {
    const { host } = await createHost()
    const running = createLatch()
    const gate = createLatch()
    const mount = host.plugin(plugin('p', (mounted) => void mounted.tools.register(rawTool('theirs'))))
    await mount
    host.tools.register(rawTool('slow', async () => (running.open(), await gate.opened, 'done')))
    const calls = ['slow', 'theirs'].map((name) => ({ type: 'tool-call', name, arguments: '' }) as const)
    const batch = host.tools.execute({ calls, signal: live })
    await running.opened
    await mount.dispose()
    gate.open()
    expect((await batch).results.map(({ result }) => gist(result))).toEqual(['"done"', 'UNKNOWN_TOOL'])
  })

  test('a plugin that touches host.tools and does not ask for it fails, and says so', async () => {
    const { host } = await createHost()
    const careless: Plugin = { name: 'careless', apply: (mounted) => void mounted.tools.register(rawTool('t')) }
    await expect(Promise.resolve(host.plugin(careless))).rejects.toThrow(/inject/)
    expect(names(host)).toEqual([])
  })
}

function listeners(createHost: CreateHost): void {
  test('those added before there are tools hear every call, in their order, and go when they are removed', async () => {
    const seen: string[] = []
    let remove = () => {}
    const { host } = await createHost((early) => {
      early.on('tools/result', () => void seen.push('early') as undefined)
      remove = early.on('tools/result', () => void seen.push('removed') as undefined)
      early.on('tools/result', () => void seen.push('prepended') as undefined, { prepend: true })
    })
    host.on('tools/result', () => void seen.push('later') as undefined)
    host.tools.register(rawTool('t'))
    await run(host, 't')
    expect(seen).toEqual(['prepended', 'early', 'removed', 'later'])
    remove()
    seen.length = 0
    await run(host, 't')
    expect(seen).toEqual(['prepended', 'early', 'later'])
  })

  test('early policies decide, and one that was removed is no longer asked', async () => {
    let remove = () => {}
    const { host } = await createHost((early) => {
      remove = early.on('tools/pre-execute', async () => ({ kind: 'deny', reason: 'early' }))
    })
    host.tools.register(rawTool('t'))
    expect(gist(await run(host, 't'))).toBe('DENIED')
    remove()
    expect(gist(await run(host, 't'))).toBe('"t"')
  })

  test('they are kept over a reload of the service, each once, with what was registered at the root', async () => {
    const seen: string[] = []
    const { host, reload } = await createHost((early) => {
      early.on('tools/result', () => void seen.push('early') as undefined)
    })
    host.on('tools/result', () => void seen.push('root') as undefined)
    host.tools.register(rawTool('t'))
    await host.plugin({ name: 'listens', apply: (mounted) => void mounted.on('tools/result', () => void seen.push('plugin') as undefined) })
    await host.plugin(plugin('needs tools', (mounted) => void mounted.on('tools/result', () => void seen.push('dependent') as undefined)))
    await reload()
    await reload()
    await run(host, 't')
    expect(seen).toEqual(['early', 'root', 'plugin', 'dependent'])
  })

  test('a batch that runs while the service is reloaded ends as it would have', async () => {
    const { host, reload } = await createHost()
    const running = createLatch()
    const gate = createLatch()
    host.tools.register(
      rawTool('slow', async () => {
        running.open()
        await gate.opened
        return 'slow'
      }),
    )
    host.tools.register(rawTool('next'))
    const calls = ['slow', 'next'].map((name) => ({ type: 'tool-call', name, arguments: '' }) as const)
    const batch = host.tools.execute({ calls, signal: live })
    await running.opened
    await reload()
    gate.open()
    expect((await batch).results.map(({ result }) => gist(result))).toEqual(['"slow"', '"next"'])
  })

  test('scopes are kept over a reload of the service', async () => {
    const { host, scope, reload } = await createHost()
    const agent = agentOf('a')
    const below = scope(agent)
    below.host.tools.guard(() => 'never')
    host.tools.register(rawTool('t'))
    await reload()
    expect(gist(await run(host, 't', agent))).toBe('GUARD_DENIED')
    below.host.tools.register(rawTool('own'))
    await below.dispose()
    expect(names(host, agent)).toEqual([])
  })

  test('one whose context has a filter of its own hears every call', async () => {
    const { host, filtered, scope } = await createHost()
    const agent = agentOf('a')
    const below = scope(agent).host
    const seen: string[] = []
    filtered(host).on('tools/result', () => void seen.push('root') as undefined)
    filtered(below).on('tools/result', () => void seen.push('agent') as undefined)
    host.tools.register(rawTool('t'))
    await run(host, 't')
    await run(host, 't', agent)
    expect(seen).toEqual(['root', 'root', 'agent'])
  })

  test('a misspelt event is refused, with the one that was meant', async () => {
    const { host } = await createHost()
    expect(() => host.on('tools/pre-excute' as 'tools/pre-execute', async (_exec, next) => next())).toThrow(/tools\/pre-execute/)
  })

  test('one that is no function is refused', async () => {
    const { host } = await createHost()
    expect(() => host.on('tools/change', {} as never)).toThrow(TypeError)
  })

  test('a removed listener hears nothing', async () => {
    const { host } = await createHost()
    let heard = 0
    const remove = host.on('tools/change', () => void heard++)
    host.tools.register(rawTool('a'))
    remove()
    remove()
    host.tools.register(rawTool('b'))
    expect(heard).toBe(1)
  })
}

function services(createHost: CreateHost): void {
  const asking: Plugin = {
    name: 'asking',
    apply: (mounted) => void mounted.on('tools/pre-execute', async () => ({ kind: 'ask', reason: 'because' })),
  }

  test('approval is found when it is mounted, for as long as it is', async () => {
    const { host, scope } = await createHost()
    const agent = agentOf('a')
    scope(agent)
    host.tools.register(rawTool('t'))
    await host.plugin(asking)
    expect(gist(await run(host, 't', agent))).toBe('APPROVAL_UNAVAILABLE')
    const asked: unknown[] = []
    const mount = host.plugin({
      name: 'approver',
      apply(mounted: Host) {
        mounted.provide('approval', {
          async request({ exec, reason }) {
            asked.push([exec.name, exec.agent, reason])
            return { outcome: 'allowed-once' }
          },
        })
      },
    })
    await mount
    expect(gist(await run(host, 't', agent))).toBe('"t"')
    expect(asked).toEqual([['t', agent, 'because']])
    await mount.dispose()
    expect(gist(await run(host, 't', agent))).toBe('APPROVAL_UNAVAILABLE')
    expect(asked).toHaveLength(1)
  })

  test('approval that was there before the tools is found, also after a reload', async () => {
    const { host, reload } = await createHost((early) => void early.provide('approval', { request: async () => ({ outcome: 'rejected' }) }))
    host.tools.register(rawTool('t'))
    await host.plugin(asking)
    expect(gist(await run(host, 't', agentOf('a')))).toBe('APPROVAL_REJECTED')
    await reload()
    expect(gist(await run(host, 't', agentOf('a')))).toBe('APPROVAL_REJECTED')
  })

  test('an executor finds codeRuntime when it is mounted', async () => {
    const { host } = await createHost()
    const { executor } = directExecutor(host)
    await host.plugin(
      plugin('programs', (mounted) => {
        mounted.tools.setExecutor({
          ...executor,
          async execute(batch) {
            const runtime = mounted.get('codeRuntime')
            const { result } =
              (await runtime?.run({ code: '', callId: toToolCallId('c'), seed: '' }, { names: [], call: async () => null }, live)) ?? {}
            return { results: [], additionalContexts: [], concluded: result === 'ran', ...(batch && {}) }
          },
        })
      }),
    )
    const concluded = async () => (await host.tools.execute({ calls: [], signal: live })).concluded
    expect(await concluded()).toBe(false)
    host.provide('codeRuntime', { language: 'typescript', run: async () => ({ logs: [], result: 'ran' }) })
    expect(await concluded()).toBe(true)
  })

  test('a plugin waits for the services that it names, stops when one goes, and starts again when it returns', async () => {
    const { host } = await createHost()
    const seen: string[] = []
    const waiting: Plugin = {
      name: 'waiting',
      inject: ['tools', 'results'],
      apply(mounted) {
        mounted.tools.register(rawTool('t'))
        mounted.effect(() => () => void seen.push('stopped'))
        seen.push('started')
      },
    }
    const mount = host.plugin(waiting)
    await mount
    expect(seen).toEqual([])
    const store = { keep: async () => '', fetch: async () => undefined }
    const withdraw = host.provide('results', store)
    await mount
    expect([...seen, ...names(host)]).toEqual(['started', 't'])
    withdraw()
    await mount
    expect([...seen, ...names(host)]).toEqual(['started', 'stopped'])
    host.provide('results', store)
    await mount
    expect([...seen, ...names(host)]).toEqual(['started', 'stopped', 'started', 't'])
  })

  test('the logger and the clock of the runtime are services', async () => {
    const { host, clock, logger } = await createHost()
    host.get('logger')?.info('hello')
    expect(logger.entries).toEqual([expect.objectContaining({ level: 'info', message: 'hello' })])
    clock.advance(7)
    expect(host.get('clock')?.now()).toBe(7)
  })

  test('a diagnostic is heard in its scope and above, and logged', async () => {
    const { host, scope, logger } = await createHost()
    const agent = agentOf('a')
    const heard: string[] = []
    scope(agent).host.on('tools/diagnostic', ({ kind }) => void heard.push(kind))
    host.tools.report({ kind: 'here', message: 'for the agent' }, agent)
    host.tools.report({ kind: 'elsewhere', message: 'for the root' })
    expect(heard).toEqual(['here'])
    expect(logger.entries.map(({ message }) => message)).toEqual(['dsh: here: for the agent', 'dsh: elsewhere: for the root'])
  })
}

/** An executor that runs one call after the other, built on the public doors alone. */
function directExecutor(host: Host): { readonly executor: ToolExecutor; readonly pipeline: ToolExecutionPipeline } {
  const pipeline = new ToolExecutionPipeline(host)
  const executor: ToolExecutor = {
    describe: (tools) => ({ schemas: tools.map(({ name, description, parameters }) => ({ name, description, parameters })) }),
    async execute({ calls, signal, agent }) {
      const results = []
      for (const { name } of calls) {
        const callId = toToolCallId('direct')
        const result = await pipeline.execute({ callId, name, arguments: {}, signal, ...(agent && { agent }) })
        results.push({ callId, result })
      }
      return { results, additionalContexts: [], concluded: false }
    },
  }
  return { executor, pipeline }
}

function executors(createHost: CreateHost): void {
  test('an executor that a plugin selects runs the batches of its scope, and no other takes over when it goes', async () => {
    const { host, scope } = await createHost()
    const agent = agentOf('a')
    const below = scope(agent)
    host.tools.register(rawTool('t'))
    const mount = below.host.plugin(plugin('direct', (mounted) => void mounted.tools.setExecutor(directExecutor(mounted).executor)))
    await mount
    const batch = (on?: Agent) =>
      host.tools.execute({ calls: [{ type: 'tool-call', name: 't', arguments: '' }], signal: live, ...(on && { agent: on }) })
    expect((await batch(agent)).results).toEqual([expect.objectContaining({ callId: 'direct' })])
    expect((await batch()).results).not.toEqual([expect.objectContaining({ callId: 'direct' })])
    expect(host.tools.modelInput(agent).schemas.map(({ name }) => name)).toEqual(['t'])
    await mount.dispose()
    await expect(batch(agent)).rejects.toThrow(/executor/)
    expect(() => host.tools.sections(agent)).toThrow(/executor/)
  })

  test('the pipeline of a host applies every policy, and its waterfall reaches the listeners of the scope', async () => {
    const { host, scope } = await createHost()
    const agent = agentOf('a')
    const below = scope(agent)
    host.tools.register(rawTool('t'))
    below.host.on('tools/ptc-dispatch-log', async (_dispatch, next) => [...(await next()), { type: 'text', text: 'more' }])
    const { pipeline } = directExecutor(host)
    const content = () => waterfall(pipeline.scopeOf(agent), 'tools/ptc-dispatch-log', {}, async () => [{ type: 'text', text: 'some' }])
    expect(await content()).toEqual([
      { type: 'text', text: 'some' },
      { type: 'text', text: 'more' },
    ])
    below.host.tools.guard(() => 'never')
    expect(gist(await pipeline.execute({ callId: toToolCallId('c'), name: 't', arguments: {}, signal: live, agent }))).toBe('GUARD_DENIED')
  })

  test('conditions are resolved for one step, and a set admits no tool that went meanwhile', async () => {
    const { host } = await createHost()
    const agent = agentOf('a')
    const mount = host.plugin(plugin('p', (mounted) => void mounted.tools.register(rawTool('sometimes'), { when: () => true })))
    await mount
    const toolSet = await host.tools.resolve({ agent, modelSelection: { provider: 'p', model: 'm' }, signal: live })
    expect(host.tools.executable('sometimes', agent)).toBeUndefined()
    expect(host.tools.executable('sometimes', agent, toolSet)?.name).toBe('sometimes')
    expect(host.tools.get('sometimes')?.name).toBe('sometimes')
    expect(host.tools.schemas(agent, toolSet)).toHaveLength(1)
    expect(host.tools.executionMode({ name: 'sometimes', arguments: {}, agent, toolSet })).toEqual({ kind: 'exclusive' })
    await mount.dispose()
    expect(host.tools.executable('sometimes', agent, toolSet)).toBeUndefined()
  })

  test('the timeout policy mounts as any plugin and keeps the deadline of a tool', async () => {
    const { host, clock } = await createHost()
    await host.plugin(timeoutPolicy, {})
    const running = createLatch()
    const slow = rawTool(
      'slow',
      (_args, exec) =>
        new Promise((_resolve, reject) => {
          exec.signal.addEventListener('abort', () => reject(exec.signal.reason))
          running.open()
        }),
      { timeoutMs: 50 },
    )
    host.tools.register(slow)
    const result = run(host, 'slow')
    await running.opened
    clock.advance(50)
    expect(gist(await result)).toBe('TOOL_TIMEOUT')
    expect(clock.pending).toBe(0)
  })
}
