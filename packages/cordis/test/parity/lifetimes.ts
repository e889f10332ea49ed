import { type Host, type Plugin, toToolCallId } from '@dsh/tools'
import { createLatch } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { agentOf, type CreateHost, gist, live, names, plugin, rawTool, run } from '../fixtures.ts'

export function lifetimes(createHost: CreateHost): void {
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
