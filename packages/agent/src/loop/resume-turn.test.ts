import { createRuntime, type ToolDefinition, type ToolEffects } from '@dsh/tools'
import { createLatch, createRecordingLogger, createTestTool } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { type Entry, logOf } from '../../test/log-of.ts'
import { asks, says } from '../../test/scripted-model.ts'
import { workspace } from '../../test/sqlite-folder.ts'
import { testAgent } from '../../test/test-agent.ts'
import { deriveMessages } from '../history/derive-messages.ts'
import { callLives } from '../log/call-life.ts'
import { isEvent, type SessionEvent } from '../log/event.ts'
import { importSession } from '../log/import-session.ts'
import { createMemoryStore } from '../log/memory-store.ts'
import { openSession } from '../log/open-session.ts'
import { recordModel } from '../model/record-model.ts'
import { recordedModel } from '../model/recorded-model.ts'
import { createAgent } from './create-agent.ts'

/** The session of a process that was killed when its log held these events. */
async function reopened(events: readonly SessionEvent[]) {
  const store = createMemoryStore()
  if (events.length > 0) await importSession(store, events, 's')
  return openSession(store, 's', { create: true })
}

const call = (name: string) => ({ type: 'tool-call', callId: `id-${name}`, name, arguments: '{}' }) as const
const begun: readonly Entry[] = [
  ['turn/start', { turn: 1 }],
  ['user/message', { source: { kind: 'person', name: 'user' }, content: [{ type: 'text', text: 'go' }] }],
  ['step/start', { turn: 1, step: 1 }],
  ['assistant/message', { turn: 1, step: 1, content: [call('a'), call('b')], usage: { inputTokens: 7 } }],
]

test('there is nothing to take up in a log that is new, whole, or that no agent wrote', async () => {
  const logs: Entry[][] = [
    [],
    [['tool/call', { turn: 1, step: 1, callId: 'c', name: 'a', arguments: '{}' }]],
    [...begun, ['turn/end', { turn: 1, outcome: 'answered', steps: 1 }]],
  ]
  for (const entries of logs) {
    const { agent, model } = await testAgent({ session: await reopened(logOf(...entries)), scripts: [] })
    expect(await agent.resume()).toBeUndefined()
    expect(model.requests).toEqual([])
  }
})

test('calls of the last answer that were never taken up are run, and the model goes on', async () => {
  const ran: string[] = []
  const tools = ['a', 'b'].map((name) => createTestTool(name, async () => ran.push(name)))
  const { agent, model, types } = await testAgent({ session: await reopened(logOf(...begun)), tools, scripts: [says('done')] })
  expect(await agent.resume()).toMatchObject({ turn: 1, outcome: 'answered', text: 'done', steps: 2, usage: { inputTokens: 17 } })
  expect(ran).toEqual(['a', 'b'])
  expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(types().filter((type) => type === 'turn/start')).toHaveLength(1)
})

test('a turn whose last answer is there needs no other request', async () => {
  const answer: Entry = ['assistant/message', { turn: 1, step: 1, content: [{ type: 'text', text: 'All is well.' }] }]
  const { agent, model } = await testAgent({ session: await reopened(logOf(...begun.slice(0, 3), answer)), scripts: [] })
  expect(await agent.resume()).toMatchObject({ outcome: 'answered', text: 'All is well.', steps: 1 })
  expect(model.requests).toEqual([])
})

test('an answer that broke off is none: the model is asked again', async () => {
  const broken = { code: 'MODEL_STREAM_BROKEN', message: 'x' }
  const half: Entry = ['assistant/message', { turn: 1, step: 1, content: [{ type: 'text', text: 'All is' }], broken }]
  const { agent, model } = await testAgent({ session: await reopened(logOf(...begun.slice(0, 3), half)), scripts: [says('All is well.')] })
  expect(await agent.resume()).toMatchObject({ outcome: 'answered', text: 'All is well.', steps: 2 })
  expect(model.requests[0]?.messages.at(-1)).toMatchObject({
    role: 'user',
    content: [{ text: expect.stringContaining('Go on from where it ends.') }],
  })
})

test('what was said after that answer is answered', async () => {
  const answer: Entry = ['assistant/message', { turn: 1, step: 1, content: [{ type: 'text', text: 'All is well.' }] }]
  const { agent } = await testAgent({
    session: await reopened(logOf(...begun.slice(0, 3), answer, begun[1] as Entry)),
    scripts: [says('Still.')],
  })
  expect(await agent.resume()).toMatchObject({ outcome: 'answered', text: 'Still.', steps: 2 })
})

test('another turn ends what a killed process left, instead of taking it up', async () => {
  const { agent, model, log } = await testAgent({
    session: await reopened(logOf(...begun)),
    tools: [createTestTool('a')],
    scripts: [says('new')],
  })
  expect(await agent.run('something else')).toMatchObject({ turn: 2, outcome: 'answered' })
  expect(log()[4]).toMatchObject(['turn/end', { turn: 1, outcome: 'abandoned', usage: { inputTokens: 7 } }])
  expect(model.requests[0]?.messages[2]).toMatchObject({
    role: 'tool',
    results: [{ isError: true, content: [{ text: expect.stringContaining('not started') }] }, { isError: true }],
  })
})

/** Tools of every kind of effect; each body notes that it began. */
function worldOf(began: (name: string, key: string | undefined) => void): ToolDefinition[] {
  const make = (effects: ToolEffects, extra: Partial<ToolDefinition> = {}) =>
    createTestTool(
      effects,
      async (_args, exec) => {
        began(effects, exec.idempotencyKey)
        return effects
      },
      { effects, ...extra },
    )
  const conclude: ToolDefinition['execute'] = async (_args, exec) => {
    exec.concludeTurn()
    return 'bye'
  }
  const last = createTestTool('last', conclude, { effects: 'none' })
  return [make('none', { isConcurrencySafe: () => true }), make('idempotent'), make('unknown'), last]
}

test.each(['an answer', 'a tool that concludes it'])(
  'a turn that ends with %s comes to the same end wherever it broke off, and nothing runs twice that may not',
  async (end) => {
    const { folder } = workspace()
    const file = `${folder}/recording`
    const scripts = [
      asks('none', 'none', 'idempotent'),
      asks('unknown', 'none'),
      end === 'an answer' ? says('The end.') : asks('last', 'unknown'),
      says('Never mind.'),
    ]
    const whole = await testAgent({ scripts: [], tools: worldOf(() => undefined) })
    await whole.agent.dispose()
    const recorded = createAgent({
      runtime: whole.runtime,
      session: whole.session,
      id: 'recorded',
      model: recordModel((await testAgent({ scripts })).model, file),
    })
    const expected = await recorded.run('go')
    const events = [...whole.session.events]
    if (end !== 'an answer') await recorded.run('go') // what the model says when it reads that the tool was not started
    for (let cut = 2; cut < events.length; cut++) {
      const began = new Map<string, number>()
      const runtime = createRuntime({ logger: createRecordingLogger() })
      for (const tool of worldOf((name, key) => began.set(`${name} ${key}`, (began.get(`${name} ${key}`) ?? 0) + 1)))
        runtime.tools.register(tool)
      const session = await reopened(events.slice(0, cut))
      const agent = createAgent({ runtime, session, model: recordedModel(file) })
      const result = await agent.resume()
      const isLastLost = events[cut - 1]?.type === 'tool/call' && JSON.stringify(events[cut - 1]).includes('"last"')
      const same = isLastLost ? { outcome: 'answered', text: 'Never mind.' } : { outcome: expected.outcome, text: expected.text }
      expect(result, `cut after ${cut} of ${events.length}`).toMatchObject({ ...same, turn: 1 })
      for (const life of callLives(session.events).values()) {
        expect(life.result).toBeDefined()
        if (life.starts.length > 0 && life.result?.data.repaired) expect(life.starts.at(-1)?.data.effects).toBe('unknown')
      }
      expect([...began.values()].every((times) => times === 1)).toBe(true)
      const ends = session.events.filter((event) => isEvent(event, 'turn/end'))
      expect(ends).toHaveLength(1)
      const answers = (log: readonly SessionEvent[]) => deriveMessages(log).filter(({ role }) => role === 'assistant').length
      expect(answers(session.events)).toBe(answers(events) + (isLastLost ? 1 : 0))
      expect(await agent.resume()).toBeUndefined()
    }
  },
)

test('a resumed turn can be cancelled, and taken up once more', async () => {
  const running = createLatch()
  const wait = createTestTool('a', async (_args, exec) => {
    running.open()
    await new Promise((_resolve, reject) => exec.signal.addEventListener('abort', () => reject(exec.signal.reason)))
  })
  const { agent } = await testAgent({ session: await reopened(logOf(...begun)), tools: [wait, createTestTool('b')], scripts: [] })
  const turn = agent.resume()
  await running.opened
  await agent.cancel()
  expect(await turn).toMatchObject({ outcome: 'cancelled', turn: 1 })
  expect(await agent.resume()).toBeUndefined()
})
