import { type Scoped, type ToolsService, toToolCallId } from '@dsh/tools'
import { expect, test } from 'vitest'
import { agentOf, type CreateHost, gist, live, names, plugin, rawTool, run } from '../fixtures.ts'

export function scopes(createHost: CreateHost): void {
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
