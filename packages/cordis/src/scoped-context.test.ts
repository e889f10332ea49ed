import { Context } from '@deepseek-ai/cordis'
import { expect, test } from 'vitest'
import { gist, mounted, names, rawTool, run } from '../test/fixtures.ts'
import { createScope, scopeOf } from './index.ts'

const agent = (id: string) => ({ id })

test('scopes need a service that was mounted once', () => {
  expect(() => createScope(new Context(), agent('a'))).toThrow(/mount ToolsService first/)
})

test('every context made from that of a scope is in it, down to the next scope', async () => {
  const { root } = await mounted()
  const [a, b] = [agent('a'), agent('b')]
  const outer = createScope(root, a)
  const inner = createScope(outer.ctx, b)
  let mountedIn: unknown
  await outer.ctx.plugin({
    name: 'p',
    apply(ctx: Context) {
      mountedIn = scopeOf(ctx.extend())
    },
  })
  expect([scopeOf(root), scopeOf(outer.ctx), scopeOf(inner.ctx), mountedIn]).toEqual([undefined, a, b, a])
  expect([outer.key, inner.key]).toEqual([a, b])
})

test('a key that is none is refused, and leaves no fiber behind', async () => {
  const { root } = await mounted()
  const before = root.fiber.getEffects().length
  expect(() => createScope(root, 'text' as never)).toThrow(TypeError)
  expect(root.fiber.getEffects()).toHaveLength(before)
})

test('a scope ends with the plugin that made it, in the turn in which that is reached', async () => {
  const { root } = await mounted()
  const a = agent('a')
  root.tools.register(rawTool('t'))
  const maker = root.plugin({
    name: 'maker',
    inject: ['tools'],
    apply: (ctx: Context) => void createScope(ctx, a).ctx.tools.guard(() => 'never'),
  })
  await maker
  expect(gist(await run(root, 't', a))).toBe('GUARD_DENIED')
  await maker.dispose()
  await expect(run(root, 't', a)).rejects.toThrow(/executor/)
})

test('a plugin that is gone can make no scope, and binds no key', async () => {
  const { root } = await mounted()
  let gone: Context | undefined
  const fiber = root.plugin({
    name: 'gone',
    apply(ctx: Context) {
      gone = ctx
    },
  })
  await fiber
  await fiber.dispose()
  const a = agent('a')
  expect(() => createScope(gone!, a)).toThrow(/inactive/)
  expect(createScope(root, a).key).toBe(a)
})

test('a plugin that stops for want of a service can make no scope, and binds no key', async () => {
  const { root } = await mounted()
  const a = agent('a')
  let problem: unknown
  const withdraw = root.provide('results', {} as never)
  const stopping = root.plugin({
    name: 'stopping',
    inject: ['results'],
    apply: (ctx: Context) => () => {
      try {
        createScope(ctx, a)
      } catch (error) {
        problem = error
      }
    },
  })
  await stopping
  withdraw()
  await stopping
  expect(String(problem)).toMatch(/inactive/)
  expect(createScope(root, a).key).toBe(a)
})

test('the context of a scope may use tools where the one that made it may, and plugins in it ask for them as anywhere', async () => {
  const { root } = await mounted()
  const a = agent('a')
  const { ctx } = createScope(root, a)
  ctx.tools.register(rawTool('t'))
  expect(names(root, a)).toEqual(['t'])
  let problem: unknown
  await ctx.plugin({
    name: 'does not ask',
    apply(inner: Context) {
      try {
        createScope(inner, agent('b')).ctx.tools.schemas()
      } catch (error) {
        problem = error
      }
    },
  })
  expect(String(problem)).toMatch(/inject/)
})

test('disposing a scope unloads what was mounted in it', async () => {
  const { root } = await mounted()
  const { ctx, dispose } = createScope(root, agent('a'))
  const seen: string[] = []
  await ctx.plugin({ name: 'p', apply: (inner: Context) => void inner.effect(() => () => void seen.push('unloaded')) })
  await dispose()
  await dispose()
  expect(seen).toEqual(['unloaded'])
})

test('a scope that comes and goes leaves nothing with its maker', async () => {
  const { root } = await mounted()
  const before = root.fiber.getEffects().length
  for (let round = 0; round < 3; round++) {
    const { ctx, dispose } = createScope(root, agent('a'))
    ctx.tools.register(rawTool('t'))
    await dispose()
  }
  expect(root.fiber.getEffects()).toHaveLength(before)
})

test('a scope that is disposed while the service is away ends all the same', async () => {
  const { root, service, ...options } = await mounted()
  const a = agent('a')
  const { ctx, dispose } = createScope(root, a)
  ctx.tools.register(rawTool('t'))
  await service.dispose()
  await dispose()
  await root.plugin((await import('./index.ts')).ToolsService, options)
  expect(root.tools.explain('t', a)).toMatchObject({ because: 'disposed' })
})

test('using tools costs no more in a scope far down', async () => {
  const { root } = await mounted()
  let ctx = root
  for (let depth = 0; depth < 2_000; depth++) ctx = createScope(ctx, {}).ctx
  expect(ctx.tools).toBeDefined()
})
