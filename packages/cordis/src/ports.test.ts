import { Context, Service } from '@deepseek-ai/cordis'
import type { Agent } from '@dsh/tools'
import type { ApprovalAnswer, ApprovalService } from '@dsh/tools/ports'
import { expect, test } from 'vitest'
import { gist, mounted, rawTool, run } from '../test/fixtures.ts'
import { createScope } from './index.ts'

const agent = (id: string): Agent => ({ id })
const answering = (outcome: ApprovalAnswer['outcome']): ApprovalService => ({ request: async () => ({ outcome }) })

/** A root whose one tool asks for approval. */
async function asking(before?: (root: Context) => void) {
  const made = await mounted({}, before)
  made.root.tools.register(rawTool('t'))
  made.root.on('tools/pre-execute', async () => ({ kind: 'ask' }))
  return made
}

test('a scope that is isolated from the approval of the others has its own', async () => {
  const { root } = await asking()
  const a = agent('a')
  const b = agent('b')
  root.provide('approval', answering('allowed-once'))
  const isolated = root.isolate('approval')
  createScope(isolated, a)
  createScope(root, b)
  isolated.provide('approval', answering('rejected'))
  expect(gist(await run(root, 't', a))).toBe('APPROVAL_REJECTED')
  expect(gist(await run(root, 't', b))).toBe('"t"')
})

test('a scope that is isolated and has none is refused: it never falls back to the approval of the others', async () => {
  const { root } = await asking()
  const [a, below] = [agent('a'), agent('below')]
  root.provide('approval', answering('allowed-once'))
  const scope = createScope(root.isolate('approval'), a)
  createScope(scope.ctx, below)
  expect(gist(await run(root, 't', a))).toBe('APPROVAL_UNAVAILABLE')
  expect(gist(await run(root, 't', below))).toBe('APPROVAL_UNAVAILABLE')
})

test('a provider that reloads is found again', async () => {
  const { root } = await asking()
  const provider = root.plugin({ name: 'provider', apply: (ctx: Context) => void ctx.provide('approval', answering('allowed-once')) })
  await provider
  expect(gist(await run(root, 't', agent('a')))).toBe('"t"')
  await provider.restart()
  expect(gist(await run(root, 't', agent('b')))).toBe('"t"')
})

test('a Cordis service with state of its own is called as one', async () => {
  class Approver extends Service {
    readonly asked: string[] = []
    constructor(ctx: Context) {
      super(ctx, 'approval')
    }
    async request({ exec }: { readonly exec: { readonly name: string } }) {
      this.asked.push(`${exec.name} through ${this.ctx.get('approval') === undefined ? 'nobody' : 'a context'}`)
      return { outcome: 'allowed-once' }
    }
  }
  const { root } = await asking()
  await root.plugin(Approver)
  expect(gist(await run(root, 't', agent('a')))).toBe('"t"')
  expect((root.get('approval') as unknown as Approver).asked).toEqual(['t through a context'])
})

test('while the service is away nobody is asked, and what needs approval is refused', async () => {
  const { root, service } = await asking()
  let asked = 0
  root.provide('approval', { request: async () => (asked++, { outcome: 'allowed-once' }) })
  const { tools } = root
  await service.dispose()
  const isolated = agent('isolated')
  const own = root.isolate('approval')
  own.provide('approval', answering('allowed-once'))
  createScope(own, isolated)
  for (const who of [agent('a'), isolated]) expect(gist(await run({ tools } as never, 't', who))).toBe('APPROVAL_UNAVAILABLE')
  expect(asked).toBe(0)
})

test('a service that comes after the scope ended is no trouble', async () => {
  const { root } = await asking()
  const isolated = root.isolate('approval')
  const { dispose } = createScope(isolated, agent('a'))
  await dispose()
  expect(() => isolated.provide('approval', answering('allowed-once'))).not.toThrow()
})

test('a service of another kind under the name of a port is no trouble to anybody', async () => {
  const { root, service } = await asking()
  const a = agent('a')
  const isolated = root.isolate('approval')
  createScope(isolated, a)
  const withdraw = isolated.provide('approval', answering('allowed-once'))
  await root.plugin({ name: 'llm', apply: (ctx: Context) => void ctx.provide('model', 'a name' as never) })
  expect(gist(await run(root, 't', a))).toBe('"t"')
  withdraw()
  expect(gist(await run(root, 't', a))).toBe('APPROVAL_UNAVAILABLE')
  root.provide('approval', true as never)
  expect((await run(root, 't', agent('b'))).error?.message).toMatch(/has no request\(\)/)
  await service.restart()
})

test('a service that is replaced is the one that is asked', async () => {
  const { root } = await asking()
  root.provide('approval', answering('allowed-once'))
  expect(gist(await run(root, 't', agent('a')))).toBe('"t"')
  root.set('approval', answering('rejected'))
  expect(gist(await run(root, 't', agent('b')))).toBe('APPROVAL_REJECTED')
})

test('a scope that is put back among the others below an isolated one finds what they find', async () => {
  const { root } = await asking()
  const [a, b] = [agent('a'), agent('b')]
  root.provide('approval', answering('allowed-once'))
  const { ctx } = createScope(root.isolate('approval'), a)
  createScope(ctx.isolate('approval', root[Context.isolate]['approval'] as never), b)
  expect(gist(await run(root, 't', a))).toBe('APPROVAL_UNAVAILABLE')
  expect(gist(await run(root, 't', b))).toBe('"t"')
})

test('a look-up that fails is a denial that says so', async () => {
  const { root } = await asking()
  const get = root.get.bind(root)
  root.get = ((name: string) => {
    if (name === 'approval') throw new Error('no such luck')
    return get(name)
  }) as never
  expect(gist(await run(root, 't', agent('a')))).toBe('APPROVAL_UNAVAILABLE')
})
