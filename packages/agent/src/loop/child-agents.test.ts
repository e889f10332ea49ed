import { createLatch, createTestTool } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { asks, says } from '../../test/scripted-model.ts'
import { testAgent } from '../../test/test-agent.ts'
import { openSession } from '../log/open-session.ts'
import { readEvents } from '../log/read-events.ts'
import type { AgentEvent } from './agent-event.ts'

const prompt = [{ type: 'text', text: 'Look.' }] as const
const live = () => new AbortController().signal

test('a child inherits what its parent sees, narrowed by its restriction, and keeps what is its own', async () => {
  const { agent, model, runtime } = await testAgent({
    tools: [createTestTool('read'), createTestTool('write')],
    scripts: [asks('write', 'read'), says('done')],
  })
  agent.scope.tools.register(createTestTool('mine'))
  const child = await agent.createChild({ tools: { allow: ['read'] } })
  child.scope.tools.register(createTestTool('report'))
  await child.run('go')
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['read', 'report'])
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    results: [
      { name: 'write', isError: true },
      { name: 'read', isError: false },
    ],
  })
  expect(runtime.tools.get('write', agent)).toBeDefined()
})

test('denials and guards of the parent hold in its children, and their children', async () => {
  const { agent } = await testAgent({ tools: [createTestTool('rm')], scripts: [asks('rm'), says('no')] })
  agent.scope.tools.guard(({ name }) => (name === 'rm' ? 'Nobody removes anything.' : undefined))
  const grandchild = await (await agent.createChild()).createChild()
  await grandchild.run('go')
  expect(grandchild.path).toEqual(['s', 's.1', 's.1.1'])
  expect(JSON.stringify(grandchild.session.events)).toContain('Nobody removes anything.')
})

test("a child's log is one of its own in the same store, and each names the other", async () => {
  const { agent, store, log } = await testAgent({ scripts: [says('seen')] })
  const child = await agent.createChild({ id: 'scout' })
  await child.run('go')
  const { events } = await readEvents(store, 's.1')
  expect(events[0]).toMatchObject({ type: 'agent/parent', data: { session: 's', turn: 0, path: ['s', 'scout'] } })
  expect(log()).toMatchObject([
    ['agent/start', { agent: 'scout', session: 's.1' }],
    ['agent/end', { agent: 'scout', session: 's.1', outcome: 'answered' }],
  ])
})

test('a log that another process left under the name of a child is not written to', async () => {
  const { agent, store } = await testAgent({ scripts: [says('seen')] })
  const left = await openSession(store, 's.1', { create: true })
  await left.log('agent/parent', { session: 's', turn: 1, path: ['s', 's.1'] })
  await left.close()
  const held = await openSession(store, 's.2', { create: true })
  expect((await agent.createChild()).session.id).toBe('s.3')
  await held.close()
})

test("what happens in a child is heard under its parent's turn, at any depth", async () => {
  const go = createLatch()
  const ready = createLatch()
  const wait = createTestTool('wait', async () => {
    ready.open()
    await go.opened
    return null
  })
  const { agent } = await testAgent({ tools: [wait], scripts: [asks('wait'), says('deep'), says('done')] })
  const heard: AgentEvent[] = []
  agent.watch((event) => heard.push(event))
  const turn = agent.run('go')
  await ready.opened
  const grandchild = await (await agent.createChild()).createChild()
  await grandchild.run('look')
  go.open()
  await turn
  const nested = heard.flatMap((event) => (event.kind === 'child' && event.event.kind === 'child' ? [event] : []))
  expect(nested[0]).toMatchObject({ turn: 1, agent: 's.1', event: { agent: 's.1.1' } })
  expect(nested.map(({ event }) => event.kind === 'child' && event.event.kind)).toContain('piece')
})

test('the port "agents" runs a child to its end and gives its answer; its session is free again', async () => {
  const { agent, runtime } = await testAgent({ tools: [], scripts: [says('There is nothing.')] })
  runtime.tools.register(
    createTestTool('delegate', async (_args, exec) => {
      const service = agent.scope.get('agents')
      const { content } = (await service?.start({ prompt, signal: exec.signal })) ?? { content: [] }
      return JSON.stringify(content)
    }),
  )
  const result = await agent.scope.call('delegate', {}, { agent })
  expect(result.value).toContain('There is nothing.')
  expect((await agent.session.store.find('s.1')).holder).toBeUndefined()
})

test('an answer of a shape is given by a call that is held to it', async () => {
  const { agent, model } = await testAgent({ scripts: [asks(['answer', { count: 'two' }]), asks(['answer', { count: 2 }])] })
  const output = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'], additionalProperties: false } as const
  const started = await agent.scope.get('agents')?.start({ prompt, output, signal: live() })
  expect(started?.value).toEqual({ count: 2 })
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ isError: true }] })
})

test('a child that only talks is reminded once, and then has not answered', async () => {
  const list = { type: 'array', items: { type: 'string' } } as const
  const one = await testAgent({ scripts: [says('It is a and b.'), asks(['answer', { value: ['a', 'b'] }])] })
  expect((await one.agent.scope.get('agents')?.start({ prompt, output: list, signal: live() }))?.value).toEqual(['a', 'b'])
  const two = await testAgent({ scripts: [says('Hm.'), says('Hm.')] })
  await expect(two.agent.scope.get('agents')?.start({ prompt, output: list, signal: live() })).rejects.toThrow(
    'did not give an answer of the shape',
  )
})

test('a child that fails, or is cancelled, rejects, and nothing of it runs on', async () => {
  const { agent } = await testAgent({ scripts: [] })
  const service = agent.scope.get('agents')
  await expect(service?.start({ prompt, signal: live() })).rejects.toThrow('The agent s.1 failed: The model could not be asked')
  const gone = new Error('Gone.')
  await expect(service?.start({ prompt, signal: AbortSignal.abort(gone) })).rejects.toBe(gone)
  expect((await agent.session.store.find('s.2')).holder).toBeUndefined()
})

test('a restriction that is none leaves no child behind', async () => {
  const { agent, log } = await testAgent({ scripts: [] })
  await expect(agent.createChild({ tools: { allow: ['nothing'] } })).rejects.toThrow('nothing')
  expect(log()).toEqual([])
  expect((await agent.session.store.find('s.1')).holder).toBeUndefined()
})

test('children end with their parent', async () => {
  const asked = createLatch()
  const { agent } = await testAgent({
    scripts: [
      async function* (_request, signal) {
        asked.open()
        yield* []
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    ],
  })
  const child = await agent.createChild()
  const turn = child.run('go')
  await asked.opened
  await agent.dispose()
  expect(await turn).toMatchObject({ outcome: 'cancelled' })
  await expect(child.run('more')).rejects.toThrow('disposed of')
})
