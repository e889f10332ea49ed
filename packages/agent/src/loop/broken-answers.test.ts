import { createTestTool } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { asks, type Script, says, usage } from '../../test/scripted-model.ts'
import { testAgent } from '../../test/test-agent.ts'
import { ModelError } from '../model/model-error.ts'

const broken = new ModelError('MODEL_STREAM_BROKEN', 'The connection was lost.', { retryable: true })
const breaksAfter =
  (...events: ReturnType<typeof says>): Script =>
  () =>
    (async function* () {
      yield* events
      throw broken
    })()

test('an answer that broke off keeps its text, none of its calls runs, and the model is asked to go on', async () => {
  let ran = 0
  const rm = createTestTool('rm', async () => ++ran)
  const call = { kind: 'tool-call', call: { type: 'tool-call', callId: 'c', name: 'rm', arguments: '{}' } } as const
  const { agent, model, log } = await testAgent({
    tools: [rm],
    scripts: [breaksAfter({ kind: 'text', text: 'First I' }, call), says(' would look.')],
  })
  expect(await agent.run('go')).toMatchObject({ outcome: 'answered', steps: 2 })
  expect(ran).toBe(0)
  expect(log()[3]).toEqual([
    'assistant/message',
    {
      turn: 1,
      step: 1,
      content: [{ type: 'text', text: 'First I' }],
      broken: { code: 'MODEL_STREAM_BROKEN', message: 'The connection was lost.' },
    },
  ])
  expect(model.requests[1]?.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ text: 'First I' }] },
    { role: 'user', content: [{ text: expect.stringMatching(/not whole.*None of its tool calls was run/) }] },
  ])
})

test('a model that never comes to an end is given up after a few tries in a row', async () => {
  const half = breaksAfter({ kind: 'text', text: 'Half' })
  const { agent } = await testAgent({
    tools: [createTestTool('a')],
    scripts: [half, asks('a'), half, half, half],
    patience: { maxRetries: 2 },
  })
  expect(await agent.run('go')).toMatchObject({ outcome: 'failed', steps: 5, error: { code: 'MODEL_STREAM_BROKEN' } })
})

test.each(['length', 'refused', 'a reason that is none of ours' as 'other'] as const)(
  'the calls of an answer that ends with %s may not be whole: none runs',
  async (reason) => {
    let ran = 0
    const { agent, model } = await testAgent({
      tools: [createTestTool('rm', async () => ++ran)],
      scripts: [[{ kind: 'text', text: 'Now' }, ...asks('rm').slice(0, 1), usage(1, 1), { kind: 'finish', reason }], says('ok')],
    })
    expect(await agent.run('go')).toMatchObject({ outcome: 'answered', text: 'ok' })
    expect(ran).toBe(0)
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(model.requests[1]?.messages[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Now' }] })
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: [{ text: expect.stringContaining('ANSWER_CUT') }] })
  },
)

test('a text that was cut at its limit is an answer, and says why it ended', async () => {
  const { agent } = await testAgent({
    scripts: [
      [
        { kind: 'text', text: 'Once upon' },
        { kind: 'finish', reason: 'length' },
      ],
    ],
  })
  expect(await agent.run('go')).toMatchObject({ outcome: 'answered', text: 'Once upon', finish: 'length' })
})

test('a retry is told to those who watch', async () => {
  const { agent, clock } = await testAgent({ scripts: [breaksAfter(), says('ok')] })
  const retried = new Promise<number>((resolve) => agent.watch((event) => event.kind === 'retry' && resolve(event.waitMs)))
  const turn = agent.run('go')
  clock.advance(await retried)
  expect(await turn).toMatchObject({ outcome: 'answered', steps: 1 })
})
