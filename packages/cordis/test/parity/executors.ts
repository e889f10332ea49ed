import { type Agent, toToolCallId } from '@dsh/tools'
import { waterfall } from '@dsh/tools/executor'
import { timeoutPolicy } from '@dsh/tools/policies/timeout'
import { createLatch } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { agentOf, type CreateHost, gist, live, plugin, rawTool, run } from '../fixtures.ts'
import { directExecutor } from './direct-executor.ts'

export function executors(createHost: CreateHost): void {
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
