import { type Host, type Plugin, toToolCallId } from '@dsh/tools'
import type { ResultStore } from '@dsh/tools/ports'
import { expect, test } from 'vitest'
import { agentOf, type CreateHost, gist, live, names, plugin, rawTool, run } from '../fixtures.ts'
import { directExecutor } from './direct-executor.ts'

export function services(createHost: CreateHost): void {
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
    const store = {} as ResultStore
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
