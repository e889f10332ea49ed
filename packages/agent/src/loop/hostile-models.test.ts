import type { ModelEvent } from '@dsh/tools/ports'
import { createTestTool } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { asks, type Script, says } from '../../test/scripted-model.ts'
import { testAgent } from '../../test/test-agent.ts'
import { createMemoryStore } from '../log/memory-store.ts'
import { openSession } from '../log/open-session.ts'
import { createAgent } from './create-agent.ts'

// What a model, a watcher or a store may do to a loop. A rejection that nobody handles fails these tests, too.

const call = (name: unknown, callId: unknown = 'c') =>
  ({ kind: 'tool-call', call: { type: 'tool-call', callId, name, arguments: '{}' } }) as ModelEvent
const text: ModelEvent = { kind: 'text', text: 'a' }
const finish = (reason: 'stop' | 'length' | 'refused' | 'tool-calls'): ModelEvent => ({ kind: 'finish', reason })

async function counting(...scripts: Script[]) {
  let ran = 0
  const on = await testAgent({ tools: [createTestTool('rm', async () => ++ran)], scripts, patience: { maxRetries: 0 } })
  return { ...on, ran: () => ran }
}

test('a watcher that cancels in the middle of an answer ends the turn, and nothing else', async () => {
  const chatty: Script = (_request, signal) =>
    (async function* (): AsyncGenerator<ModelEvent> {
      for (;;) {
        signal.throwIfAborted()
        yield text
      }
    })()
  const { agent } = await testAgent({ scripts: [chatty] })
  agent.watch((event) => {
    if (event.kind === 'piece') void agent.cancel('Enough.')
  })
  expect(await agent.run('go')).toMatchObject({ outcome: 'cancelled', error: { message: 'Enough.' } })
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, '7'])('a count that is none is left out: %s', async (inputTokens) => {
  const { agent, log } = await testAgent({
    scripts: [[{ kind: 'usage', usage: { inputTokens, outputTokens: 2 } as never }, text, finish('stop')]],
  })
  expect((await agent.run('go')).usage).toEqual({ outputTokens: 2 })
  expect(log().at(-1)).toMatchObject(['turn/end', { outcome: 'answered', usage: { outputTokens: 2 } }])
})

test.each([
  [call(5)],
  [call('')],
  [call('rm', '')],
  [call('rm', 7)],
  [{ ...call('rm'), call: { ...(call('rm') as any).call, arguments: {} } }],
])('a call that is none breaks the answer, and leaves the session as it was: %j', async (event) => {
  const { agent, ran } = await counting([event, finish('tool-calls')], says('well'))
  expect(await agent.run('go')).toMatchObject({ outcome: 'failed', error: { code: 'MODEL_STREAM_BROKEN' } })
  expect(ran()).toBe(0)
  expect(await agent.run('again')).toMatchObject({ outcome: 'answered', text: 'well' })
})

test.each<[string, ModelEvent[]]>([
  ['a call after the end', [text, finish('stop'), call('rm')]],
  ['an end that takes back that it was cut', [text, call('rm'), finish('length'), finish('stop')]],
  ['an end that takes back that it was refused', [text, call('rm'), finish('refused'), finish('tool-calls')]],
])('%s changes nothing: no call runs', async (_name, events) => {
  const { agent, ran } = await counting(events, says('ok'))
  await agent.run('go')
  expect(ran()).toBe(0)
})

test('a stream that breaks when it is given back was whole all the same', async () => {
  for (const giveBack of [
    () => Promise.reject(new Error('No.')),
    () => undefined,
    () => {
      throw new Error('No.')
    },
  ]) {
    const events = [text, finish('stop')]
    const script = () =>
      ({ [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: events.shift() }), return: giveBack }) }) as never
    const { model, session, runtime, agent } = await testAgent({ scripts: [] })
    await agent.dispose()
    const own = createAgent({ runtime, session, model: { ...model, stream: script } })
    expect(await own.run('go')).toMatchObject({ outcome: 'answered', text: 'a' })
  }
})

test('a session that is closed while a turn begins rejects the turn, once', async () => {
  const { agent, session } = await testAgent({ scripts: [] })
  const turn = agent.run('go')
  void session.close()
  await expect(turn).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
  expect(agent.state).toBe('idle')
})

test('disposing twice is disposing once: it does not let go of what another agent keeps', async () => {
  const { agent, runtime, session, model } = await testAgent({ scripts: [] })
  await agent.dispose()
  const other = createAgent({ runtime, session, model })
  await agent.dispose()
  expect(() => createAgent({ runtime, session, model })).toThrow('An agent keeps the session')
  await other.dispose()
})

test('a child whose log fails does not keep its siblings and its parent from ending', async () => {
  const store = createMemoryStore()
  const { agent, runtime, model, session } = await testAgent({ store, scripts: [] })
  const [one, two] = [await agent.createChild(), await agent.createChild()]
  const append = store.append.bind(store)
  store.append = (id, batch) => (id === 's.1' ? Promise.reject(new Error('Full.')) : append(id, batch))
  void one.session.log('user/message', { source: { kind: 'plugin', name: 'p' }, content: [] })
  await expect(agent.dispose()).rejects.toMatchObject({ code: 'SESSION_WRITE_FAILED' })
  await expect(two.run('go')).rejects.toThrow('disposed of')
  expect((await openSession(store, 's.2')).heldBy).toBeUndefined()
  expect(createAgent({ runtime, session, model }).state).toBe('idle')
})

test('a reason that is no text cancels all the same', async () => {
  const { agent } = await testAgent({ scripts: [] })
  expect(await agent.run('go', { signal: AbortSignal.abort(Object.create(null)) })).toMatchObject({ outcome: 'cancelled' })
})

test.each([undefined, null, 7, [null], { source: {}, content: [5] }, {}])(
  'an input that is none is refused in words: %j',
  async (input) => {
    const { agent } = await testAgent({ scripts: [asks('rm')] })
    await expect(agent.run(input as never)).rejects.toThrow('The input must be a text, a list of content blocks')
    await expect(agent.send(input as never)).rejects.toThrow('The input must be a text')
  },
)
