import type { Context } from '@deepseek-ai/cordis'
import { createRecordingLogger } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { gist, mounted, rawTool, run } from '../test/fixtures.ts'
import { createScope, ToolsService } from './index.ts'

test('once() hears one event, and a boolean means prepend', async () => {
  const { root } = await mounted()
  const seen: string[] = []
  root.on('tools/change', () => void seen.push('a'))
  root.once('tools/change', () => void seen.push('once'))
  root.on('tools/change', () => void seen.push('first'), true)
  root.tools.register(rawTool('t'))
  root.tools.register(rawTool('u'))
  expect(seen).toEqual(['first', 'a', 'once', 'first', 'a'])
})

test('a listener of a plugin goes with it, and cannot be added while it unloads', async () => {
  const { root } = await mounted()
  let heard = 0
  let problem: unknown
  const fiber = root.plugin({
    name: 'p',
    apply(ctx: Context) {
      ctx.on('tools/change', () => void heard++)
      return () => {
        try {
          ctx.on('tools/change', () => void heard++)
        } catch (error) {
          problem = error
        }
      }
    },
  })
  await fiber
  root.tools.register(rawTool('t'))
  await fiber.dispose()
  root.tools.register(rawTool('u'))
  expect([heard, String(problem)]).toEqual([1, expect.stringMatching(/inactive/)])
})

test('other events are left to Cordis', async () => {
  const { root } = await mounted()
  let heard = 0
  root.on('other/event' as 'tools/change', () => void heard++)
  root.emit('other/event' as 'tools/change')
  expect(heard).toBe(1)
})

test('an early listener of a plugin goes with the plugin', async () => {
  let heard = 0
  let early: { dispose(): Promise<void> } | undefined
  const { root } = await mounted({}, (before) => {
    early = before.plugin({ name: 'early', apply: (ctx: Context) => void ctx.on('tools/change', () => void heard++) })
  })
  root.tools.register(rawTool('t'))
  await early?.dispose()
  root.tools.register(rawTool('u'))
  expect(heard).toBe(1)
})

test('listeners added while the service is away are heard when it is back: new ones last, prepended ones first, none twice', async () => {
  const seen: string[] = []
  const add = (root: Context, who: string, prepend = false) => root.on('tools/change', () => void seen.push(who), { prepend })
  const { root, service, ...options } = await mounted({}, (before) => void add(before, 'early'))
  add(root, 'routed')
  await service.dispose()
  add(root, 'away')
  add(root, 'away first', true)
  add(root, 'away very first', true)
  const again = root.plugin(ToolsService, options)
  await again
  await again.restart()
  root.tools.register(rawTool('t'))
  expect(seen).toEqual(['away very first', 'away first', 'early', 'routed', 'away'])
})

test('an early listener in a scope hears that scope', async () => {
  const seen: unknown[] = []
  const { root, service, ...options } = await mounted()
  const agent = { id: 'a' }
  const { ctx } = createScope(root, agent)
  await service.dispose()
  ctx.on('tools/result', (exec) => void seen.push(exec.agent) as undefined)
  await root.plugin(ToolsService, options)
  root.tools.register(rawTool('t'))
  await run(root, 't')
  await run(root, 't', agent)
  expect(seen).toEqual([agent])
})

test('an early listener that is removed in mid-call decides that call still, and no later one', async () => {
  let remove = () => {}
  const { root } = await mounted({}, (before) => {
    remove = before.on('tools/pre-execute', async () => ({ kind: 'deny', reason: 'early' }))
  })
  root.tools.register(rawTool('t'))
  root.on('tools/pre-execute', (_exec, next) => (remove(), next()), { prepend: true })
  expect(gist(await run(root, 't'))).toBe('DENIED')
  expect(gist(await run(root, 't'))).toBe('"t"')
})

test('an early listener of a misspelt event does not keep the service from starting, and the log tells of it', async () => {
  const lines: unknown[] = []
  const { root } = await mounted({ logger: createRecordingLogger() }, (before) => {
    before.logger.exporter({ export: ({ args }) => void lines.push(args.at(-1)) })
    before.on('tools/resutl' as 'tools/result', () => undefined)
  })
  expect(root.get('tools')).toBeDefined()
  expect(lines).toEqual([expect.stringMatching(/<root> will hear nothing.*tools\/result/)])
})

test('events that somebody else emits through Cordis do not reach the runtime', async () => {
  const { root } = await mounted()
  let heard = 0
  root.on('tools/change', () => void heard++)
  root.emit('tools/change')
  expect(heard).toBe(0)
})
