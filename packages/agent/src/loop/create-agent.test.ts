import { getEventListeners } from 'node:events'
import type { ResolvedToolSet, ToolBatchResult, ToolExecutor } from '@dsh/tools'
import { createLatch, createTestTool } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { asks, says, scriptedModel, usage } from '../../test/scripted-model.ts'
import { testAgent } from '../../test/test-agent.ts'
import { createMemoryStore } from '../log/memory-store.ts'
import { openSession } from '../log/open-session.ts'
import { readEvents } from '../log/read-events.ts'
import type { AgentEvent } from './agent-event.ts'
import { createAgent } from './create-agent.ts'

const note = (text: string) => ({ source: { kind: 'plugin', name: 'p' }, content: [{ type: 'text', text }] }) as const
/** What a request holds, in short. */
const roles = (messages: readonly { readonly role: string }[] = []) => messages.map(({ role }) => role).join(' ')

test('a turn asks the model, runs what it calls, and ends with the answer that calls nothing', async () => {
  const { agent, model, log } = await testAgent({
    tools: [createTestTool('look', async () => ({ seen: 1 })), createTestTool('add')],
    scripts: [asks(['look', { at: 1 }], 'add'), says('There is 1.')],
    system: 'Be short.',
  })
  const result = await agent.run('What is there?')
  expect(result).toMatchObject({ turn: 1, outcome: 'answered', text: 'There is 1.', steps: 2, finish: 'stop' })
  expect(result.usage).toEqual({ inputTokens: 20, outputTokens: 10 })
  expect(model.requests[0]).toMatchObject({ system: 'Be short.', tools: [{ name: 'look' }, { name: 'add' }] })
  expect(model.requests[1]?.messages).toMatchObject([
    { role: 'user', content: [{ text: 'What is there?' }] },
    { role: 'assistant', content: [{ type: 'tool-call', callId: 'call-0', name: 'look' }, { name: 'add' }] },
    { role: 'tool', results: [{ callId: 'call-0', isError: false, content: [{ text: '{"seen":1}' }] }, { callId: 'call-1' }] },
  ])
  expect(log()).toMatchObject([
    ['turn/start', { turn: 1 }],
    ['user/message', { source: { kind: 'person', name: 'user' } }],
    ['step/start', { turn: 1, step: 1, model: { provider: 'test', model: 'scripted' } }],
    ['assistant/message', { turn: 1, step: 1, finish: 'tool-calls', usage: { inputTokens: 10, outputTokens: 5 } }],
    ['session/start', {}],
    ['tool/call', { turn: 1, step: 1, name: 'look' }],
    ['tool/start', {}],
    ['tool/result', { isError: false }],
    ['tool/call', { name: 'add' }],
    ['tool/start', {}],
    ['tool/result', {}],
    ['step/start', { turn: 1, step: 2 }],
    ['assistant/message', { step: 2, content: [{ type: 'text', text: 'There is 1.' }] }],
    ['turn/end', { turn: 1, outcome: 'answered', steps: 2, usage: { inputTokens: 20 } }],
  ])
})

test('the next turn goes on from the whole history', async () => {
  const { agent, model } = await testAgent({ scripts: [says('one'), says('two')] })
  await agent.run('first')
  expect((await agent.run('second')).turn).toBe(2)
  expect(roles(model.requests[1]?.messages)).toBe('user assistant user')
})

test('contexts follow the results of their step, in order, before the next request', async () => {
  const tool = createTestTool('note', async (_args, exec) => {
    exec.deferContext(note('one'))
    exec.deferContext(note('two'))
    return null
  })
  const { agent, model } = await testAgent({ tools: [tool], scripts: [asks('note'), says('done')] })
  await agent.run('go')
  expect(roles(model.requests[1]?.messages)).toBe('user assistant tool user user')
  expect(model.requests[1]?.messages.slice(3)).toMatchObject([{ content: [{ text: 'one' }] }, { content: [{ text: 'two' }] }])
})

test('a tool that concludes the turn ends it, once its batch is done', async () => {
  const last = createTestTool('last', async (_args, exec) => {
    exec.concludeTurn()
    return 'bye'
  })
  const { agent, types } = await testAgent({ tools: [last, createTestTool('other')], scripts: [asks('last', 'other')] })
  expect(await agent.run('go')).toMatchObject({ outcome: 'concluded', steps: 1 })
  expect(types().filter((type) => type === 'tool/result')).toHaveLength(2)
})

test('a turn takes as many steps as it may, and says so', async () => {
  const { agent } = await testAgent({ tools: [createTestTool('more')], scripts: [asks('more'), asks('more'), asks('more')], maxSteps: 2 })
  expect(await agent.run('go')).toMatchObject({ outcome: 'max-steps', steps: 2 })
  expect(await agent.run('go', { maxSteps: 1 })).toMatchObject({ outcome: 'max-steps', steps: 1 })
  await expect(agent.run('go', { maxSteps: 0 })).rejects.toThrow('maxSteps must be a positive integer')
})

test('what is sent while a tool runs enters at the next step, and settles with the turn', async () => {
  const running = createLatch()
  const go = createLatch()
  const wait = createTestTool('wait', async () => {
    running.open()
    await go.opened
    return null
  })
  const { agent, model } = await testAgent({ tools: [wait], scripts: [asks('wait'), says('both')] })
  const turn = agent.run('one')
  await running.opened
  const sent = agent.send('two')
  go.open()
  expect(await sent).toBe(await turn)
  expect(roles(model.requests[1]?.messages)).toBe('user assistant tool user')
})

test('what is sent while the last answer comes is answered in another step of the turn', async () => {
  const asked = createLatch()
  const go = createLatch()
  const { agent, model } = await testAgent({
    scripts: [
      async function* () {
        asked.open()
        await go.opened
        yield* says('to one')
      },
      says('to two'),
    ],
  })
  const turn = agent.run('one')
  await asked.opened
  const sent = agent.send('two')
  go.open()
  expect(await turn).toMatchObject({ text: 'to two', steps: 2 })
  expect(await sent).toBe(await turn)
  expect(model.requests[1]?.messages).toMatchObject([
    { content: [{ text: 'one' }] },
    { role: 'assistant', content: [{ text: 'to one' }] },
    { content: [{ text: 'two' }] },
  ])
})

test('what is sent to an idle agent begins a turn, and two sends at once are one conversation', async () => {
  const { agent, model } = await testAgent({ scripts: [says('a'), says('b'), says('c')] })
  const results = await Promise.all([agent.send('one'), agent.send('two')])
  expect(results[0]).toBe(results[1])
  expect(agent.state).toBe('idle')
  const texts = model.requests.at(-1)?.messages.flatMap(({ content }: any) => content.map(({ text }: any) => text)) // any: text in any message
  expect(texts).toEqual(expect.arrayContaining(['one', 'two']))
})

test('injected context is read with the next request, and begins no turn', async () => {
  const { agent, model, types } = await testAgent({ scripts: [says('ok')] })
  await agent.inject(note('the sun shines'))
  expect(types()).toEqual(['user/message'])
  await agent.run('and?')
  expect(model.requests[0]?.messages).toMatchObject([{ content: [{ text: 'the sun shines' }] }, { content: [{ text: 'and?' }] }])
})

test('an agent that works is not run a second time, and says what to do', async () => {
  const go = createLatch()
  const { agent } = await testAgent({
    scripts: [
      async function* () {
        await go.opened
        yield* says('ok')
      },
    ],
  })
  const turn = agent.run('one')
  expect(agent.state).toBe('working')
  await expect(agent.run('two')).rejects.toThrow('send() gives it input meanwhile')
  go.open()
  await turn
})

test('an input that says nothing is refused before anything is logged', async () => {
  const { agent, types } = await testAgent({ scripts: [] })
  await expect(agent.run('  ')).rejects.toThrow('The input says nothing')
  await expect(agent.send([])).rejects.toThrow('The input says nothing')
  expect(types()).toEqual([])
})

test('cancel waits until nothing runs, closes what was called, and the next turn goes on', async () => {
  const running = createLatch()
  let stopped = false
  const slow = createTestTool('slow', async (_args, exec) => {
    running.open()
    await new Promise((resolve) => exec.signal.addEventListener('abort', resolve))
    stopped = true
    throw exec.signal.reason
  })
  const { agent, log, model } = await testAgent({ tools: [slow, createTestTool('after')], scripts: [asks('slow', 'after'), says('ok')] })
  const heard: string[] = []
  agent.watch((event) => heard.push(event.kind === 'stopping' ? `stopping: ${event.reason}` : event.kind))
  const turn = agent.run('go')
  await running.opened
  const cancelled = agent.cancel('Enough.')
  expect(agent.state).toBe('stopping')
  await cancelled
  expect(stopped).toBe(true)
  expect(agent.state).toBe('idle')
  expect(heard).toContain('stopping: Enough.')
  expect(await turn).toMatchObject({ outcome: 'cancelled', error: { code: 'CANCELLED', message: 'Enough.' } })
  const results = log().filter(([type]) => type === 'tool/result')
  expect(results).toMatchObject([
    [expect.anything(), { error: { info: { code: 'ABORTED' } } }],
    [expect.anything(), { error: { info: { code: 'ABORTED_BEFORE_DISPATCH' } } }],
  ])
  expect(await agent.run('again')).toMatchObject({ outcome: 'answered' })
  expect(roles(model.requests[1]?.messages)).toBe('user assistant tool user')
})

test("the caller's signal cancels a turn, keeps what the model had said, and is let go of", async () => {
  const said = createLatch()
  const caller = new AbortController()
  const { agent, log } = await testAgent({
    scripts: [
      async function* (_request, signal) {
        yield { kind: 'text', text: 'Half a' }
        said.open()
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    ],
  })
  const turn = agent.run('go', { signal: caller.signal })
  await said.opened
  caller.abort(new Error('Gone.'))
  expect(await turn).toMatchObject({ outcome: 'cancelled', text: 'Half a', error: { message: 'Gone.' } })
  expect(log()).toContainEqual([
    'assistant/message',
    expect.objectContaining({ content: [{ type: 'text', text: 'Half a' }], broken: expect.objectContaining({ code: 'CANCELLED' }) }),
  ])
})

test('a signal that has fired already ends the turn before the model is asked', async () => {
  const { agent, model } = await testAgent({ scripts: [] })
  expect(await agent.run('go', { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'cancelled', steps: 0 })
  expect(model.requests).toEqual([])
})

test('a model that cannot be asked fails the turn with its words, as a value', async () => {
  const { agent, log } = await testAgent({ scripts: [] })
  const result = await agent.run('go')
  expect(result).toMatchObject({
    outcome: 'failed',
    error: { code: 'MODEL_FAILED', message: expect.stringContaining('did not expect request 1') },
  })
  expect(log().at(-1)).toMatchObject(['turn/end', { outcome: 'failed', error: { code: 'MODEL_FAILED' } }])
})

test('each step resolves its conditional tools once, and they are closed with it', async () => {
  const { agent, runtime, model } = await testAgent({ scripts: [asks('sometimes'), asks('sometimes'), says('done')] })
  const asked: unknown[] = []
  runtime.tools.register(createTestTool('sometimes'), {
    when({ modelSelection }) {
      asked.push(modelSelection)
      return asked.length === 1
    },
  })
  await agent.run('go')
  expect(asked).toHaveLength(3)
  expect(asked[0]).toEqual({ provider: 'test', model: 'scripted' })
  expect(model.requests.map(({ tools }) => tools?.length ?? 0)).toEqual([1, 0, 0])
  expect(model.requests[2]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    results: [{ isError: true, content: [{ text: expect.stringContaining('sometimes') }] }],
  })
})

test('the tools of a step are closed with it', async () => {
  let toolSet: ResolvedToolSet | undefined
  const look = createTestTool('look', async (_args, exec) => {
    toolSet = exec.toolSet
    return toolSet?.view(exec.agent).size
  })
  const { agent, model } = await testAgent({ tools: [look], scripts: [asks('look'), says('done')] })
  await agent.run('go')
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ content: [{ text: '1' }] }] })
  expect(toolSet?.view(agent).size).toBe(0)
})

test('when a turn has ended its log is in the store, and its caller is not listened to any more', async () => {
  const caller = new AbortController()
  const { agent, store } = await testAgent({ scripts: [says('ok')] })
  await agent.run('go', { signal: caller.signal })
  expect((await readEvents(store, 's')).events.map(({ type }) => type)).toContain('turn/end')
  expect(getEventListeners(caller.signal, 'abort')).toEqual([])
})

test('a condition that cannot be told fails the turn before the model is asked', async () => {
  const { agent, runtime, model } = await testAgent({ scripts: [] })
  runtime.tools.register(createTestTool('odd'), { when: () => Promise.reject(new Error('No network.')) })
  expect(await agent.run('go')).toMatchObject({
    outcome: 'failed',
    error: { code: 'STEP_NOT_PREPARED', message: expect.stringContaining('No network.') },
  })
  expect(model.requests).toEqual([])
})

test('prompt sections stand in ascending order, the ones of the executor among them', async () => {
  const { agent, runtime, model } = await testAgent({
    scripts: [says('ok')],
    system: 'First.',
    sections: [
      { id: 'late', order: 30, render: () => 'Late.' },
      { id: 'empty', order: 5, render: () => '  ' },
      { id: 'early', order: 10, render: () => 'Early.' },
    ],
  })
  runtime.tools.setExecutor({
    ...noExecutor,
    sections: [{ id: 'x', order: 20, render: (scope) => (scope === agent ? 'Mine.' : 'Whose?') }],
  })
  await agent.run('go')
  expect(model.requests[0]?.system).toBe('First.\n\nEarly.\n\nMine.\n\nLate.')
})

const noExecutor: ToolExecutor = { describe: () => ({ schemas: [] }), execute: () => Promise.reject(new Error('Out of order.')) }

test('an executor that keeps no log has its calls and results logged for it', async () => {
  const { agent, runtime, log, model } = await testAgent({ scripts: [asks('a', 'b'), says('ok')] })
  runtime.tools.setExecutor({
    ...noExecutor,
    execute: async ({ calls }): Promise<ToolBatchResult> => ({
      results: calls.map(({ callId, name }) => ({
        callId: callId as never,
        result: { isError: false, value: null, content: [{ type: 'text', text: `${name}!` }] },
      })),
      additionalContexts: [],
      concluded: false,
    }),
  })
  await agent.run('go')
  expect(
    log()
      .filter(([type]) => type.startsWith('tool/'))
      .map(([type]) => type),
  ).toEqual(['tool/call', 'tool/result', 'tool/call', 'tool/result'])
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ content: [{ text: 'a!' }] }, { content: [{ text: 'b!' }] }] })
})

test('machinery that breaks fails the turn, and no call is left without a result', async () => {
  const { agent, runtime, log } = await testAgent({ scripts: [asks('a')] })
  runtime.tools.setExecutor(noExecutor)
  expect(await agent.run('go')).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining('Out of order.') } })
  expect(log().filter(([type]) => type.startsWith('tool/'))).toMatchObject([
    ['tool/call', {}],
    ['tool/result', { isError: true }],
  ])
})

test('an agent that was disposed of has stopped, and is not run any more', async () => {
  const { agent, runtime } = await testAgent({ scripts: [] })
  agent.scope.tools.register(createTestTool('own'))
  expect(runtime.tools.get('own', agent)).toBeDefined()
  await agent.dispose()
  expect(runtime.tools.get('own', agent)).toBeUndefined()
  await expect(agent.run('go')).rejects.toThrow('has been disposed of')
})

test('a session that another process writes is refused in words, before anything is asked', async () => {
  const store = createMemoryStore()
  const writer = await openSession(store, 's', { create: true })
  const { agent, model } = await testAgent({ store, session: await openSession(store, 's'), scripts: [] })
  await expect(agent.run('go')).rejects.toMatchObject({ code: 'SESSION_HELD' })
  await writer.close()
  expect(model.requests).toEqual([])
})

test('a log that fails in the middle of a turn ends it with that error', async () => {
  const store = createMemoryStore()
  const { agent, session } = await testAgent({ store, tools: [createTestTool('a')], scripts: [asks('a')] })
  store.append = () => Promise.reject(new Error('The disk is full.'))
  await expect(agent.run('go')).rejects.toMatchObject({ code: 'SESSION_WRITE_FAILED' })
  expect(agent.state).toBe('idle')
  expect(() => session.assertWritable()).toThrow('The disk is full.')
})

test('those who watch hear pieces as they come and events as they are logged, and one that throws hurts nobody', async () => {
  const { agent } = await testAgent({
    scripts: [[{ kind: 'text', text: 'a' }, { kind: 'text', text: 'b' }, usage(1, 1), { kind: 'finish', reason: 'stop' }]],
  })
  const events: AgentEvent[] = []
  const warned = new Promise((resolve) => process.once('warning', resolve))
  agent.watch(() => {
    throw new Error('A broken watcher.')
  })
  const stop = agent.watch((event) => events.push(event))
  await agent.run('go')
  expect(await warned).toMatchObject({ message: 'A broken watcher.' })
  expect(events.filter(({ kind }) => kind === 'piece')).toHaveLength(4)
  expect(events.flatMap((event) => (event.kind === 'logged' ? event.event.type : []))).toEqual([
    'turn/start',
    'user/message',
    'step/start',
    'assistant/message',
    'turn/end',
  ])
  stop()
  const before = events.length
  await agent.inject(note('x'))
  expect(events).toHaveLength(before)
})

test('what is sent to an agent that is stopping begins the turn after', async () => {
  const running = createLatch()
  const stopped = createLatch()
  const slow = createTestTool('slow', async (_args, exec) => {
    running.open()
    await new Promise((resolve) => exec.signal.addEventListener('abort', resolve))
    await stopped.opened
    return null
  })
  const { agent, model } = await testAgent({ tools: [slow], scripts: [asks('slow'), says('new')] })
  const turn = agent.run('one')
  await running.opened
  const cancelled = agent.cancel()
  const sent = agent.send('two')
  stopped.open()
  await cancelled
  expect([(await turn).outcome, await sent]).toMatchObject(['cancelled', { turn: 2, outcome: 'answered', text: 'new' }])
  expect(model.requests).toHaveLength(2)
})

test('a session is kept by one agent at a time', async () => {
  const { agent, runtime, session } = await testAgent({ scripts: [] })
  expect(() => createAgent({ runtime, session, model: scriptedModel() })).toThrow('An agent keeps the session s already')
  await agent.dispose()
  expect(createAgent({ runtime, session, model: scriptedModel() }).state).toBe('idle')
})

test('options that are none are refused by name', async () => {
  const { runtime, session, agent } = await testAgent({ scripts: [] })
  await agent.dispose()
  const model = scriptedModel()
  expect(() => createAgent({ runtime, session, model, patience: { stallMs: -1 } })).toThrow(
    'patience.stallMs must be a number from 0 on, and is -1.',
  )
  expect(() => createAgent({ runtime, session, model: {} as never })).toThrow('model must be a ModelService')
  expect(() => createAgent({ runtime, session, model, maxSteps: 1.5 })).toThrow('maxSteps')
  expect(() => createAgent({ runtime, session, model, maxParallelToolCalls: 0 })).toThrow('maxParallelToolCalls')
})

test('disposing of an agent waits until what it ran in the background is gone', async () => {
  const { agent, runtime } = await testAgent({ scripts: [] })
  const gone = createLatch()
  const stopped: unknown[] = []
  runtime.provide('jobs', {
    start: () => Promise.reject(new Error('not part of this test')),
    stop(owner) {
      stopped.push(owner)
      return gone.opened
    },
  })
  let disposed = false
  const disposal = agent.dispose().then(() => {
    disposed = true
  })
  for (let turn = 0; turn < 20; turn++) await undefined
  expect([stopped, disposed]).toEqual([[agent], false])
  gone.open()
  await disposal
})
