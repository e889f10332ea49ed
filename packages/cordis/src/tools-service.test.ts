import { Context, type Fiber } from '@deepseek-ai/cordis'
import type { Host, Plugin } from '@dsh/tools'
import { createFakeClock, createLatch, createRecordingLogger } from '@dsh/tools/testing'
import { describe, expect, test, vi } from 'vitest'
import { gist, mounted, names, rawTool, run, settled } from '../test/fixtures.ts'
import { createScope, ToolsService } from './index.ts'

const started = async (fiber: Fiber & PromiseLike<Fiber>) =>
  fiber.then(
    () => 'started',
    (error: Error) => error.message,
  )

describe('the service', () => {
  test('is there for whoever asks for it, under its name', async () => {
    const { root, service } = await mounted()
    expect(service.name).toBe('ToolsService')
    expect(root.get('tools')).toBeDefined()
    await service.dispose()
    expect(root.get('tools')).toBeUndefined()
  })

  test('a second one on the same root does not start, and says why; the first goes on', async () => {
    const { root } = await mounted()
    root.tools.register(rawTool('t'))
    expect(await started(root.plugin(ToolsService))).toMatch(/already, mounted in <ToolsService>/)
    expect(await started(root.isolate('tools').plugin(ToolsService))).toMatch(/already/)
    expect(gist(await run(root, 't'))).toBe('"t"')
  })

  test('two root contexts have nothing in common', async () => {
    const [a, b] = [await mounted(), await mounted()]
    a.root.tools.register(rawTool('t'))
    expect([names(a.root), names(b.root)]).toEqual([['t'], []])
  })

  test('takes the defaults for an empty configuration', async () => {
    expect(await started(new Context().plugin(ToolsService, null as never))).toBe('started')
  })

  test('an option out of range is refused when it mounts', async () => {
    const root = new Context()
    expect(await started(root.plugin(ToolsService, { limits: { maxValueBytes: 0 } }))).toMatch(/maxValueBytes/)
    expect(await started(root.plugin(ToolsService, { limits: { maxValueBytes: 1 } }))).toBe('started')
  })

  test('is mounted again with the options of the first one, and refuses others by name', async () => {
    const options = { clock: createFakeClock(), limits: { stallWarningMs: 10 }, logger: createRecordingLogger() }
    const { root, service } = await mounted(options)
    await service.dispose()
    expect(await started(root.plugin(ToolsService, { clock: options.clock }))).toMatch(/option logger/)
    const logger = createRecordingLogger()
    expect(await started(root.plugin(ToolsService, { ...options, logger }))).toMatch(/option logger/)
    expect(await started(root.plugin(ToolsService, { ...options, clock: createFakeClock() }))).toMatch(/option clock/)
    expect(await started(root.plugin(ToolsService, options))).toBe('started')
  })

  test('settings that say the same are the same', async () => {
    const root = new Context()
    const first = root.plugin(ToolsService, { limits: { stallWarningMs: 10 } })
    await first
    await first.dispose()
    expect(await started(root.plugin(ToolsService, { limits: { stallWarningMs: 11 } }))).toMatch(/option limits/)
    const again = root.plugin(ToolsService, { limits: { stallWarningMs: 10 }, scheduling: {} })
    expect(await started(again)).toBe('started')
    await again.dispose()
    expect(await started(root.plugin(ToolsService, { limits: { stallWarningMs: 10, maxValueBytes: 9 } }))).toMatch(/option limits/)
  })

  test('an update with other options is refused where it is made, and the service goes on', async () => {
    const { root, service, clock, logger } = await mounted({ limits: { stallWarningMs: 10, maxValueBytes: 9 } })
    root.tools.register(rawTool('t'))
    expect(() => service.update({ clock, logger, limits: { stallWarningMs: 11, maxValueBytes: 9 } })).toThrow(/option limits/)
    expect(names(root)).toEqual(['t'])
    await service.restart()
    service.update({ clock, logger, limits: { maxValueBytes: 9, stallWarningMs: 10 } })
    await service.await()
    expect(names(root)).toEqual(['t'])
  })

  test('tells each context its own scope', async () => {
    const { root } = await mounted()
    const agent = { id: 'a' }
    const { ctx } = createScope(root, agent)
    const scopeOfTools = (at: Context) => (at.tools as { readonly scope?: unknown }).scope
    expect([scopeOfTools(root), scopeOfTools(ctx)]).toEqual([undefined, agent])
  })

  test('writes to the log of Cordis by default, percent signs and all', async () => {
    const root = new Context()
    const lines: unknown[] = []
    root.logger.exporter({ levels: { default: 2 }, export: ({ name, type, args }) => void lines.push([name, type, ...args]) })
    await root.plugin(ToolsService)
    root.tools.report({ kind: 'odd', message: 'at 100 % load', detail: { n: 1 } })
    const log = root.get('logger') as unknown as ReturnType<typeof createRecordingLogger>
    log.error('broken', Object.assign(new Error('why'), { stack: 'Error: why\n  at x' }))
    log.debug('fine')
    expect(lines).toEqual([
      ['tools', 'warn', '%s', 'dsh: odd: at 100 % load', { n: 1 }],
      ['tools', 'error', '%s', 'broken', 'Error: why\n  at x'],
    ])
  })

  test('leaves a logger and a clock alone that somebody else provides', async () => {
    const clock = createFakeClock()
    const { root } = await mounted({}, (early) => void early.provide('clock', clock))
    expect(root.get('clock')).toBe(clock)
  })

  test('leaves one alone whose provider is still starting', async () => {
    const clock = createFakeClock()
    const providing = createLatch()
    const gate = createLatch()
    const root = new Context()
    const provider = root.plugin({
      name: 'provider',
      async apply(ctx: Context) {
        ctx.provide('clock', clock)
        providing.open()
        await gate.opened
      },
    })
    await providing.opened
    expect(await started(root.plugin(ToolsService))).toBe('started')
    gate.open()
    await provider
    expect(root.get('clock')).toBe(clock)
  })
})

describe('what is registered', () => {
  test('belongs to the fiber of the context whose tools are asked, whoever calls', async () => {
    const { root } = await mounted()
    let lent: Context['tools'] | undefined
    const owner = root.plugin({
      name: 'owner',
      inject: ['tools'],
      apply(ctx: Context) {
        lent = ctx.tools
      },
    })
    await owner
    lent?.register(rawTool('lent'))
    expect(names(root)).toEqual(['lent'])
    await owner.dispose()
    expect(names(root)).toEqual([])
    expect(() => lent?.register(rawTool('late'))).toThrow(/inactive/)
  })

  test('is shown among the effects of its fiber', async () => {
    const { root } = await mounted()
    const fiber = root.plugin({
      name: 'p',
      inject: ['tools'],
      apply(ctx: Context) {
        ctx.tools.register(rawTool('t'))
        ctx.on('tools/change', () => undefined)
      },
    })
    await fiber
    expect(fiber.getEffects().map(({ label }) => label)).toEqual(
      expect.arrayContaining(['ctx.tools.register("t")', 'ctx.on("tools/change")']),
    )
  })

  test('is refused with the problems of the definition, and leaves no effect behind', async () => {
    const { root } = await mounted()
    const before = root.fiber.getEffects().length
    expect(() => root.tools.register({ ...rawTool('bad name'), output: undefined as never })).toThrow(/name[\s\S]*output/)
    expect(() => root.tools.register(undefined as never)).toThrow(TypeError)
    root.tools.register(rawTool('t'))
    expect(() => root.tools.register(rawTool('t'))).toThrow(/t/)
    expect(root.fiber.getEffects().length - before).toBe(1)
  })

  test('a disposer that an effect collects runs in the place of that effect', async () => {
    const { root } = await mounted()
    const seen: string[] = []
    const dispose = root.effect(function* () {
      yield root.tools.register(rawTool('t'))
      yield () => void seen.push(`still ${names(root)}`)
    })
    await dispose()
    expect([seen, names(root)]).toEqual([['still t'], []])
  })

  test('a plugin loses it while a service that it needs is away', async () => {
    const { root } = await mounted()
    const provider = root.plugin({ name: 'provider', apply: (ctx: Context) => void ctx.provide('results', {} as never) })
    const needing: Plugin = {
      name: 'needing',
      inject: ['tools', 'results'],
      async apply(host: Host) {
        host.tools.register(rawTool('own'))
        await host.plugin({ name: 'below', inject: ['tools'], apply: (below: Host) => void below.tools.register(rawTool('below')) })
      },
    }
    await root.plugin(needing)
    await settled(root)
    expect(names(root)).toEqual(['own', 'below'])
    const left: string[] = []
    root.on('tools/change', () => void left.push(names(root).join()))
    await provider.dispose()
    await settled(root)
    expect(left).toEqual(['own', ''])
  })

  test('a guard outlives the tool that it guards, also when the handle of its plugin is what is restarted', async () => {
    const { root } = await mounted()
    const seen: unknown[] = []
    const exec = { name: 'guarded', callId: 'c', arguments: {}, signal: new AbortController().signal } as never
    const inner: Plugin = { name: 'inner', inject: ['tools'], apply: (host) => void host.tools.register(rawTool('guarded')) }
    const outer: Plugin = {
      name: 'outer',
      inject: ['tools'],
      async apply(host) {
        host.tools.guard(() => 'never')
        await host.plugin(inner)
      },
    }
    const handle = root.plugin(outer)
    await handle
    root.on('tools/change', () => void seen.push([names(root), root.tools.checkGuards(exec)]))
    await handle.restart()
    await settled(root)
    expect(seen).toEqual([
      [[], 'never'],
      [['guarded'], 'never'],
    ])
  })

  test('what a plugin registered after it was reloaded goes before what those above it had registered', async () => {
    const { root } = await mounted()
    let inner: Fiber | undefined
    const nest = (apply: (ctx: Context) => void) => ({ inject: ['tools'], apply })
    const outer = root.plugin(
      nest((ctx) => {
        ctx.tools.register(rawTool('outer'))
        ctx.plugin(
          nest((middle) => {
            middle.tools.register(rawTool('middle'))
            inner = middle.plugin(nest((last) => void last.tools.register(rawTool('inner'))))
          }),
        )
      }),
    )
    await outer
    await settled(root)
    await inner?.restart()
    const left: string[] = []
    root.on('tools/change', () => void left.push(names(root).join()))
    await outer.dispose()
    expect(left).toEqual(['outer,middle', 'outer', ''])
  })

  test('all of it goes when the root is disposed, and the root can be used again', async () => {
    const { root, service, ...options } = await mounted()
    root.tools.register(rawTool('t'))
    const agent = { id: 'a' }
    createScope(root, agent).ctx.tools.guard(() => 'never')
    root.on('tools/pre-execute', async () => ({ kind: 'deny', reason: 'never' }))
    await root.fiber.dispose()
    await root.plugin(ToolsService, options)
    expect(names(root)).toEqual([])
    root.tools.register(rawTool('t'))
    expect(gist(await run(root, 't'))).toBe('"t"')
    expect(root.tools.explain('t', agent)).toMatchObject({ because: 'disposed' })
  })

  test('a fiber that comes and goes leaves nothing with those above it', async () => {
    const { root } = await mounted()
    const before = root.fiber.getEffects().length
    for (let round = 0; round < 3; round++) {
      const fiber = root.plugin({ name: 'p', inject: ['tools'], apply: (ctx: Context) => void ctx.tools.register(rawTool('t')) })
      await fiber
      await fiber.dispose()
    }
    expect(root.fiber.getEffects()).toHaveLength(before)
  })
})

test('another installed copy of this package serves the same runtime', async () => {
  const { root, service, ...options } = await mounted()
  vi.resetModules()
  const copy = await import('./index.ts')
  expect(copy.createScope).not.toBe(createScope)
  const agent = { id: 'a' }
  const { ctx } = copy.createScope(root, agent)
  ctx.tools.register(rawTool('t'))
  expect(names(root, agent)).toEqual(['t'])
  expect(await started(root.plugin(copy.ToolsService, options))).toMatch(/already/)
  await service.dispose()
  expect(await started(root.plugin(copy.ToolsService, options))).toBe('started')
  expect(names(root, agent)).toEqual(['t'])
})
