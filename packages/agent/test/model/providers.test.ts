import { createAnthropic } from '@ai-sdk/anthropic'
import { createDeepSeek } from '@ai-sdk/deepseek'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { LLMock } from '@copilotkit/aimock'
import { createRuntime } from '@dsh/tools'
import { createRecordingLogger, createTestTool } from '@dsh/tools/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isEvent } from '../../src/log/event.ts'
import { createMemoryStore } from '../../src/log/memory-store.ts'
import { openSession } from '../../src/log/open-session.ts'
import type { AgentEvent } from '../../src/loop/agent-event.ts'
import { createAgent } from '../../src/loop/create-agent.ts'
import type { AiSdkLanguageModel } from '../../src/model/ai-sdk-model.ts'
import { fromAiSdk } from '../../src/model/from-ai-sdk.ts'

// Whole turns, through the packages of the providers, over HTTP, to a server that speaks as the providers do.

const mock = new LLMock({ port: 0 })
/** The bodies of the requests, as they were sent. */
let sent: any[] = [] // any: each provider has a format of its own, and that is what is asserted

beforeAll(async () => {
  const calls = [
    { name: 'look', arguments: '{"at":"a"}' },
    { name: 'look', arguments: '{"at":"b"}' },
  ]
  mock.on({ hasToolResult: false }, { content: 'I will look.', reasoning: 'Hm, a and b.', reasoningSignature: 'sig-1', toolCalls: calls })
  mock.on({ hasToolResult: true }, { content: 'Both are there.' })
  await mock.start()
})
afterAll(() => mock.stop())
beforeEach(() => {
  sent = []
})

const settings = () => ({
  baseURL: `${mock.url}/v1`,
  apiKey: 'secret',
  fetch: (url: string | URL | Request, init?: RequestInit) => {
    sent.push(JSON.parse(String(init?.body)))
    return fetch(url, init)
  },
})

interface Provider {
  readonly name: string
  readonly create: () => AiSdkLanguageModel
  /** Whether the provider shows what a model thinks. */
  readonly thinks: boolean
  /** Whether the mock says what this provider's requests cost. */
  readonly counts: boolean
  /** What the second request has to hold of the first answer and its results, given the ids of the calls. */
  readonly history: (ids: readonly string[]) => unknown
}

const ARGS = ['{"at":"a"}', '{"at":"b"}']
const FOUND = ['{"found":"a"}', '{"found":"b"}']

const chatHistory = (ids: readonly string[], reasoning: boolean) => ({
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is in a and b?' },
    {
      role: 'assistant',
      content: 'I will look.',
      ...(reasoning && { reasoning_content: 'Hm, a and b.' }),
      tool_calls: ids.map((id, at) => ({ id, type: 'function', function: { name: 'look', arguments: ARGS[at] } })),
    },
    ...ids.map((id, at) => ({ role: 'tool', tool_call_id: id, content: FOUND[at] })),
  ],
})

const PROVIDERS: readonly Provider[] = [
  {
    name: 'openai-compatible',
    create: () => createOpenAICompatible({ name: 'local', includeUsage: true, ...settings() })('m'),
    thinks: true,
    counts: true,
    history: (ids) => chatHistory(ids, true),
  },
  {
    name: 'deepseek',
    create: () => createDeepSeek(settings())('deepseek-reasoner'),
    thinks: true,
    counts: true,
    history: (ids) => chatHistory(ids, true),
  },
  {
    name: 'openai chat',
    create: () => createOpenAI(settings()).chat('gpt-x'),
    thinks: false,
    counts: true,
    history: (ids) => chatHistory(ids, false),
  },
  {
    name: 'anthropic',
    create: () => createAnthropic(settings())('claude-x'),
    thinks: true,
    counts: false,
    history: (ids) => ({
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'What is in a and b?' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm, a and b.', signature: 'sig-1' },
            { type: 'text', text: 'I will look.' },
            ...ids.map((id, at) => ({ type: 'tool_use', id, name: 'look', input: JSON.parse(ARGS[at] as string) })),
          ],
        },
        { role: 'user', content: ids.map((id, at) => ({ type: 'tool_result', tool_use_id: id, content: FOUND[at] })) },
      ],
    }),
  },
  {
    name: 'openai responses',
    create: () => createOpenAI(settings())('gpt-x'),
    thinks: true,
    counts: false,
    history: (ids) => ({
      input: expect.arrayContaining([
        // What the provider keeps itself is named by its id: thoughts and words.
        { type: 'item_reference', id: expect.stringMatching(/^rs/) },
        { type: 'item_reference', id: expect.stringMatching(/^msg/) },
        ...ids.map((id, at) => ({ type: 'function_call', call_id: id, name: 'look', arguments: ARGS[at] })),
        ...ids.map((id, at) => ({ type: 'function_call_output', call_id: id, output: FOUND[at] })),
      ]),
    }),
  },
]

describe.each(PROVIDERS)('$name', ({ create, thinks, counts, history }) => {
  async function turn() {
    const session = await openSession(createMemoryStore(), 's', { create: true })
    const runtime = createRuntime({ logger: createRecordingLogger() })
    runtime.tools.register(createTestTool('look', async (args) => ({ found: (args as { at: string }).at })))
    const agent = createAgent({ runtime, session, model: fromAiSdk(create()), system: 'Be brief.' })
    const events: AgentEvent[] = []
    agent.watch((event) => events.push(event))
    const result = await agent.run('What is in a and b?')
    const answers = session.events.filter((event) => isEvent(event, 'assistant/message')).map(({ data }) => data)
    const calls = session.events.filter((event) => isEvent(event, 'tool/call')).map(({ data }) => data)
    return { result, answers, calls, events }
  }

  test('a turn of two parallel calls ends with the answer, and tells why each answer ended and what it cost', async () => {
    const { result, answers, calls } = await turn()
    expect(result).toMatchObject({
      outcome: 'answered',
      text: 'Both are there.',
      content: [{ type: 'text', text: 'Both are there.' }],
      steps: 2,
      finish: 'stop',
    })
    expect(answers.map(({ finish }) => finish)).toEqual(['tool-calls', 'stop'])
    expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual(ARGS.map((args) => ['look', args]))
    if (counts) expect(result.usage?.inputTokens).toBeGreaterThan(0)
    expect(result.usage?.outputTokens).toBeTypeOf('number')
  })

  test('the tools are declared, with their schemas', async () => {
    await turn()
    expect(JSON.stringify(sent[0].tools)).toContain('"look"')
    expect(JSON.stringify(sent[0].tools)).toContain('"The tool look."')
    expect(sent[0].stream).toBe(true)
  })

  test('the calls, their results and what the provider wants back go into the next request in its own format', async () => {
    const { calls } = await turn()
    expect(sent).toHaveLength(2)
    expect(sent[1]).toMatchObject(history(calls.map(({ callId }) => callId)) as object)
  })

  test('text comes in pieces, and thoughts where they are shown', async () => {
    const { events, answers } = await turn()
    const pieces = events.flatMap((event) => (event.kind === 'piece' && event.step === 1 ? [event.event] : []))
    const said = (kind: 'text' | 'reasoning') => pieces.flatMap((piece) => (piece.kind === kind ? [piece.text] : [])).join('')
    expect(said('text')).toBe('I will look.')
    expect(said('reasoning')).toBe(thinks ? 'Hm, a and b.' : '')
    expect(answers[0]?.content.map(({ type }) => type)).toEqual([...(thinks ? ['reasoning'] : []), 'text', 'tool-call', 'tool-call'])
  })
})
