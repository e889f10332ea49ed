import type { ContentBlock } from '@dsh/tools'
import type { ModelEvent, ModelMessage, ModelRequest } from '@dsh/tools/ports'
import { describe, expect, test } from 'vitest'
import type { AiSdkLanguageModel } from './ai-sdk-model.ts'
import { fromAiSdk } from './from-ai-sdk.ts'

const live = () => new AbortController().signal
const FINISH = { type: 'finish', usage: {}, finishReason: { unified: 'stop', raw: 'stop' } }

interface Stub extends AiSdkLanguageModel {
  readonly calls: any[] // any: what a provider's package would get
  cancelled: unknown
}

/** A model of the AI SDK that streams these parts. */
function stub(parts: readonly unknown[], { version = 'v3', provider = 'p.chat' } = {}): Stub {
  return {
    specificationVersion: version,
    provider,
    modelId: 'm',
    calls: [],
    cancelled: undefined,
    async doStream(options) {
      this.calls.push(options)
      const stream = new ReadableStream({
        pull: (controller) => {
          const part = parts[this.calls.length === 1 ? sent++ : 0]
          if (part === undefined) controller.close()
          else controller.enqueue(part)
        },
        cancel: (reason) => {
          this.cancelled = reason ?? 'cancelled'
        },
      })
      let sent = 0
      return { stream }
    },
  }
}

async function hear(model: AiSdkLanguageModel, request: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of fromAiSdk(model).stream({ messages: [], ...request }, live())) events.push(event)
  return events
}

async function promptOf(messages: readonly ModelMessage[], options: Parameters<typeof stub>[1] = {}) {
  const model = stub([FINISH], options)
  await hear(model, { messages })
  return model.calls[0].prompt
}

test('what is no model of the AI SDK, or of another interface, is refused by name', () => {
  expect(() => fromAiSdk({} as never)).toThrow('fromAiSdk takes a language model of the AI SDK')
  expect(() => fromAiSdk(stub([], { version: 'v2' }))).toThrow('interface v3 and v4, and this one is of v2')
  expect(fromAiSdk(stub([], { version: 'v4' })).selection).toEqual({ provider: 'p.chat', model: 'm' })
})

describe('the answer', () => {
  test('keeps what a provider wants back with the piece it came with', async () => {
    const events = await hear(
      stub([
        { type: 'stream-start', warnings: [] },
        { type: 'reasoning-start', id: '1', providerMetadata: { p: { a: 1 } } },
        { type: 'reasoning-delta', id: '1', delta: 'hm' },
        { type: 'reasoning-end', id: '1', providerMetadata: { p: { sealed: 's' } } },
        { type: 'text-start', id: '2' },
        { type: 'text-delta', id: '2', delta: 'so' },
        { type: 'ping' },
        { type: 'custom', kind: 'p.x' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}', providerMetadata: { p: { thought: 't' } } },
        {
          type: 'finish',
          usage: { inputTokens: { total: 7, cacheRead: 3 }, outputTokens: { total: 2, reasoning: undefined } },
          finishReason: { unified: 'tool-calls', raw: 'x' },
        },
      ]),
    )
    expect(events).toEqual([
      { kind: 'reasoning', text: '', block: '1', meta: { p: { a: 1 } } },
      { kind: 'reasoning', text: 'hm', block: '1' },
      { kind: 'reasoning', text: '', block: '1', meta: { p: { sealed: 's' } } },
      { kind: 'text', text: 'so', block: '2' },
      { kind: 'tool-call', call: { type: 'tool-call', callId: 'c', name: 'look', arguments: '{}', meta: { p: { thought: 't' } } } },
      { kind: 'usage', usage: { inputTokens: 7, cachedInputTokens: 3, outputTokens: 2 } },
      { kind: 'finish', reason: 'tool-calls' },
    ])
  })

  test('gives a call the id that its deltas had, and a new one where the conversation has used it', async () => {
    const parts = [
      { type: 'tool-input-start', id: 'c', toolName: 'look' },
      { type: 'tool-input-delta', id: 'c', delta: '{}' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' },
      FINISH,
    ]
    const messages: ModelMessage[] = [{ role: 'tool', results: [{ callId: 'c', name: 'look', isError: false, content: [] }] }]
    const events = await hear(stub(parts), { messages })
    const [first, second, third] = events as [any, any, any] // any: their kinds are asserted below
    expect(events.map(({ kind }) => kind).slice(0, 3)).toEqual(['tool-call-delta', 'tool-call-delta', 'tool-call'])
    expect(third.call.callId).toMatch(/^call_[0-9a-f]{24}$/)
    expect([first.block, second.block]).toEqual([third.call.callId, third.call.callId])
  })

  test('leaves out what the provider runs itself, and gives pictures as content', async () => {
    const events = await hear(
      stub([
        { type: 'tool-input-start', id: 'x', toolName: 'search', providerExecuted: true },
        { type: 'tool-call', toolCallId: 'x', toolName: 'search', input: '{}', providerExecuted: true },
        { type: 'tool-result', toolCallId: 'x', toolName: 'search', result: {} },
        { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2]) },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQI=' } },
        FINISH,
      ]),
    )
    const picture = { kind: 'content', content: { type: 'image', mediaType: 'image/png', data: 'AQI=' } }
    expect(events.slice(0, 2)).toEqual([picture, picture])
  })

  test.each([
    [{ unified: 'stop', raw: 'end' }, 'stop'],
    [{ unified: 'length', raw: 'max' }, 'length'],
    [{ unified: 'content-filter', raw: 'x' }, 'refused'],
    [{ unified: 'other', raw: 'pause' }, 'other'],
  ])('that ends with %j ends with %s', async (finishReason, reason) => {
    expect((await hear(stub([{ type: 'finish', finishReason }]))).at(-1)).toEqual({ kind: 'finish', reason })
  })

  test.each([
    { unified: 'other', raw: undefined },
    { unified: 'error', raw: undefined },
    { unified: 'interrupted', raw: 'x' },
    { unified: 'constructor', raw: undefined },
    undefined,
  ])('that ends with %j broke off', async (finishReason) => {
    await expect(hear(stub([{ type: 'finish', finishReason }]))).rejects.toMatchObject({ code: 'MODEL_STREAM_BROKEN' })
  })

  test('that nobody wants more of is cancelled, and one that is given up throws the reason', async () => {
    const parts = Array.from({ length: 9 }, () => ({ type: 'text-delta', id: '1', delta: 'x' }))
    const left = stub(parts)
    for await (const _event of fromAiSdk(left).stream({ messages: [] }, live())) break
    expect(left.cancelled).toBeDefined()
    const caller = new AbortController()
    const given = stub(parts)
    const asking = (async () => {
      for await (const _event of fromAiSdk(given).stream({ messages: [] }, caller.signal)) caller.abort(new Error('Enough.'))
    })()
    await expect(asking).rejects.toThrow('Enough.')
    expect(given.cancelled).toMatchObject({ message: 'Enough.' })
    expect(given.calls[0].abortSignal).toMatchObject({ aborted: true, reason: { message: 'Enough.' } })
  })
})

describe('the prompt', () => {
  const picture: ContentBlock = { type: 'image', mediaType: 'image/png', data: 'AQID' }
  const user = (...content: ContentBlock[]): ModelMessage => ({ role: 'user', content })
  const said = (text: string): ContentBlock => ({ type: 'text', text })
  const result = (isError: boolean, ...content: ContentBlock[]): ModelMessage => ({
    role: 'tool',
    results: [{ callId: 'c', name: 'look', isError, content }],
  })
  const outputOf = async (message: ModelMessage, options?: Parameters<typeof stub>[1]) =>
    (await promptOf([message], options))[0].content[0].output

  test('has the system text first, the tools, and the limit of tokens', async () => {
    const model = stub([FINISH])
    const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } as const }]
    await hear(model, { system: 'Be brief.', messages: [user(said('hi'))], tools, maxOutputTokens: 9 })
    expect(model.calls[0]).toMatchObject({
      prompt: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      tools: [{ type: 'function', name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
      maxOutputTokens: 9,
    })
  })

  test('merges what a user says in a row, and leaves out what says nothing', async () => {
    expect(
      await promptOf([
        user(said('a')),
        user(said(''), said('b')),
        { role: 'assistant', content: [{ type: 'text', text: '' }] },
        user(said('c')),
      ]),
    ).toEqual([{ role: 'user', content: [said('a'), said('b'), said('c')] }])
  })

  test('hands pictures over as each interface wants them', async () => {
    expect(await promptOf([user(picture)])).toEqual([{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'AQID' }] }])
    expect(await promptOf([user(picture)], { version: 'v4' })).toEqual([
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } }] },
    ])
  })

  test('says in words what cannot be handed over', async () => {
    const kept: ContentBlock = { type: 'audio', mediaType: 'audio/wav', data: { store: 's', id: 'i', bytes: 2_048 } }
    const page: ContentBlock = { type: 'resource', uri: 'file:///a', title: 'A page', text: 'its text' }
    const [{ content }] = await promptOf([user(kept, page)])
    expect(content).toEqual([said('[audio/wav, 2,048 bytes: not shown here]'), said('A page:\nits text')])
  })

  test('gives calls back as they were made, and as empty ones where they were no object', async () => {
    const call = (args: string) => ({ type: 'tool-call', callId: 'c', name: 'look', arguments: args, meta: { p: 1 } }) as const
    const [{ content }] = await promptOf([{ role: 'assistant', content: ['{"a":1}', '', '{"a":', '[1]'].map(call) }])
    expect(content.map(({ input }: any) => input)).toEqual([{ a: 1 }, {}, {}, {}]) // any: a part as a provider gets it
    expect(content[0].providerOptions).toEqual({ p: 1 })
  })

  test('gives results as text, failed ones as such', async () => {
    expect(await outputOf(result(false, said('one'), said('two')))).toEqual({ type: 'text', value: 'one\ntwo' })
    expect(await outputOf(result(true, said('Error: no.')))).toEqual({ type: 'error-text', value: 'Error: no.' })
  })

  test('shows pictures in results to models that can look at them, and tells the others that they are there', async () => {
    expect(await outputOf(result(false, said('see'), picture))).toEqual({
      type: 'text',
      value: 'see\n[image/png, 3 bytes: not shown here]',
    })
    expect(await outputOf(result(false, said('see'), picture), { provider: 'anthropic.messages' })).toEqual({
      type: 'content',
      value: [said('see'), { type: 'image-data', mediaType: 'image/png', data: 'AQID' }],
    })
    expect(await outputOf(result(false, picture), { provider: 'openai.responses', version: 'v4' })).toEqual({
      type: 'content',
      value: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } }],
    })
  })
})

describe('an error', () => {
  const failing = (error: unknown): AiSdkLanguageModel => ({ ...stub([]), doStream: () => Promise.reject(error) })
  const said = (error: unknown) =>
    hear(failing(error)).then(
      () => undefined,
      (thrown) => thrown,
    )

  test('of a key that is missing names what is missing', async () => {
    const error = await said(Object.assign(new Error('Set the P_API_KEY environment variable.'), { name: 'AI_LoadAPIKeyError' }))
    expect(error).toMatchObject({
      code: 'MODEL_UNAUTHORIZED',
      message: 'There is no key for p.chat (m): Set the P_API_KEY environment variable.',
    })
  })

  test('that is none of the network and none of the provider is told as it is', async () => {
    expect(await said(new TypeError('x is not a function'))).toMatchObject({
      code: 'MODEL_FAILED',
      retryable: false,
      message: 'p.chat (m) could not be asked: x is not a function.',
    })
    expect(await said('odd')).toMatchObject({ code: 'MODEL_FAILED', message: 'p.chat (m) could not be asked: odd.' })
  })

  test('of the network may be tried again, however deep it is', async () => {
    const inner = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    expect(await said(new TypeError('fetch failed', { cause: inner }))).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true })
  })

  test('that is long is cut, and what looks like a key is hidden', async () => {
    const error = await said({ statusCode: 400, message: `bad sk-abcdefgh12345678 ${'x'.repeat(900)}` })
    expect(error.message).toContain('sk-…')
    expect(error.message.length).toBeLessThan(620)
  })
})
