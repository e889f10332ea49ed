import { createLatch } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { agentOf, type CreateHost, gist, live, names, plugin, rawTool, run } from '../fixtures.ts'

export function listeners(createHost: CreateHost): void {
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
