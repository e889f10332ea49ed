import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createRuntime } from '@dsh/tools'
import type { ModelEvent } from '@dsh/tools/ports'
import { createLatch, createRecordingLogger, createTestTool } from '@dsh/tools/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../src/log/memory-store.ts'
import { openSession } from '../../src/log/open-session.ts'
import { createAgent } from '../../src/loop/create-agent.ts'
import { fromAiSdk } from '../../src/model/from-ai-sdk.ts'
import type { ModelError } from '../../src/model/model-error.ts'
import { type Answering, begin, callChunk, chunk, type HostileServer, hostileServer, write } from './hostile-server.ts'

const KEY = 'sk-very-secret-key-0123456789'
let server: HostileServer

beforeAll(async () => {
  server = await hostileServer()
})
afterEach(() => server.whenClosed())
afterAll(() => server.stop())

const model = () =>
  fromAiSdk(createOpenAICompatible({ name: 'local', baseURL: server.url, apiKey: KEY, headers: { connection: 'close' } })('m'))

interface Heard {
  readonly events: readonly ModelEvent[]
  readonly text: string
  readonly error: ModelError | undefined
}

/** Ask once, and hear all of it. */
async function ask(answering: Answering, signal = new AbortController().signal): Promise<Heard> {
  server.answer(answering)
  const events: ModelEvent[] = []
  const textOf = () => events.map((event) => (event.kind === 'text' ? event.text : '')).join('')
  try {
    for await (const event of model().stream({ messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }, signal))
      events.push(event)
    return { events, text: textOf(), error: undefined }
  } catch (error) {
    return { events, text: textOf(), error: error as ModelError }
  }
}

const DONE = `${chunk({}, 'stop')}data: [DONE]\n\n`
const kinds = ({ events }: Heard) => events.map(({ kind }) => kind)

describe('what is odd and not wrong is read as it was meant', () => {
  test('a character that is cut between packets', async () => {
    const bytes = Buffer.from(chunk({ content: '工具 😀' }))
    const cuts = [...bytes.keys()].map((at) => bytes.subarray(at, at + 1))
    const heard = await ask(async (response) => {
      begin(response)
      await write(response, ...cuts, DONE)
      response.end()
    })
    expect(heard).toMatchObject({ text: '工具 😀', error: undefined })
  })

  test('lines that end in CRLF, comments that keep the connection open, and an event in many packets', async () => {
    const event = chunk({ content: 'one' }).replaceAll('\n', '\r\n')
    const heard = await ask(async (response) => {
      begin(response)
      await write(
        response,
        ': hello\r\n\r\n',
        event.slice(0, 20),
        event.slice(20, 21),
        event.slice(21),
        ': still here\r\n\r\n',
        DONE.replaceAll('\n', '\r\n'),
      )
      response.end()
    })
    expect(heard).toMatchObject({ text: 'one', error: undefined })
    expect(kinds(heard).at(-1)).toBe('finish')
  })

  test('calls without an id, with one that is empty, or with one that another call has', async () => {
    const heard = await ask(async (response) => {
      begin(response)
      await write(
        response,
        callChunk(0, { id: 'same', name: 'a', args: '{}' }),
        callChunk(1, { id: 'same', name: 'b', args: '{"x":' }),
        callChunk(1, { args: '1}' }),
      )
      await write(response, callChunk(2, { id: '', name: 'c', args: '' }), chunk({}, 'tool_calls'), 'data: [DONE]\n\n')
      response.end()
    })
    const calls = heard.events.flatMap((event) => (event.kind === 'tool-call' ? [event.call] : []))
    expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual([
      ['a', '{}'],
      ['b', '{"x":1}'],
      ['c', expect.stringMatching(/^(\{\})?$/)],
    ])
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(3)
    expect(calls.every(({ callId }) => callId !== '')).toBe(true)
  })
})

describe('an answer that breaks off', () => {
  const half: Answering = async (response) => {
    begin(response)
    await write(response, chunk({ content: 'I will ' }), callChunk(0, { id: 'c', name: 'rm', args: '{"path":"/tmp' }))
  }

  test.each<[string, Answering]>([
    ['a connection that is cut', async (response, request) => (await half(response, request), void response.destroy())],
    ['one that ends politely, in the middle', async (response, request) => (await half(response, request), void response.end())],
    [
      'one that ends after a call that looks whole',
      async (response) => {
        begin(response)
        await write(response, chunk({ content: 'I will ' }), callChunk(0, { id: 'c', name: 'rm', args: '{}' }))
        response.end()
      },
    ],
    [
      'half a JSON',
      async (response) => {
        begin(response)
        await write(response, chunk({ content: 'I will ' }), 'data: {"choices":[{"delta":{"content":"x"\n\n', DONE)
        response.end()
      },
    ],
    [
      'an error in the stream',
      async (response) => {
        begin(response)
        await write(
          response,
          chunk({ content: 'I will ' }),
          `data: ${JSON.stringify({ error: { message: 'Overloaded', type: 'server_error' } })}\n\n`,
        )
        response.end()
      },
    ],
  ])('%s: its text came, it may be tried again, and nothing says that it was whole', async (_name, answering) => {
    const heard = await ask(answering)
    expect(heard).toMatchObject({ text: 'I will ', error: { code: 'MODEL_STREAM_BROKEN', retryable: true } })
    expect(kinds(heard)).not.toContain('finish')
    expect(heard.error?.message).toMatch(/^(The answer of local\.chat \(m\)|The model's answer) broke off/)
  })

  test('that says nothing at all is ended by its caller, and leaves no connection', async () => {
    const caller = new AbortController()
    const began = createLatch()
    const asked = ask(async (response) => {
      begin(response)
      response.flushHeaders()
      began.open()
    }, caller.signal)
    await began.opened
    caller.abort(new Error('Enough.'))
    expect((await asked).error).toMatchObject({ message: 'Enough.' })
  })

  test('to a caller who wants no more of it leaves no connection', async () => {
    server.answer(async (response) => {
      begin(response)
      await write(response, chunk({ content: 'one' }))
    })
    for await (const event of model().stream({ messages: [] }, new AbortController().signal)) {
      expect(event).toMatchObject({ kind: 'text', text: 'one' })
      break
    }
  })
})

describe('a request that is refused', () => {
  const status =
    (code: number, body: unknown, headers: Record<string, string> = {}): Answering =>
    (response) => {
      response.writeHead(code, { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }
  const said = (message: string) => ({ error: { message, type: 'x', param: null, code: null } })

  test.each([
    [
      429,
      said('Slow down.'),
      { 'retry-after': '7' },
      { code: 'MODEL_RATE_LIMITED', retryable: true, retryAfterMs: 7_000, status: 429 },
      /takes no more requests for now \(429\): Slow down\./,
    ],
    [429, said('Slow down.'), { 'retry-after-ms': '250' }, { retryAfterMs: 250 }, /429/],
    [500, said('Oops'), {}, { code: 'MODEL_UNAVAILABLE', retryable: true, status: 500 }, /local\.chat \(m\) failed \(500\): Oops\./],
    [503, '<html><body>Bad gateway</body></html>', {}, { code: 'MODEL_UNAVAILABLE', retryable: true }, /503/],
    [
      401,
      said(`Incorrect API key provided: ${KEY}`),
      {},
      { code: 'MODEL_UNAUTHORIZED', retryable: false },
      /does not accept the key \(401\).*Check the key/,
    ],
    [400, said('maximum context length is 10 tokens'), {}, { code: 'MODEL_REQUEST_REFUSED', retryable: false }, /maximum context length/],
    [404, said('The model m does not exist'), {}, { code: 'MODEL_REQUEST_REFUSED', retryable: false }, /does not exist/],
  ] as const)(
    '%i: says who refused it, why, and whether to try again; the key stays secret',
    async (code, body, headers, expected, words) => {
      const { error, events } = await ask(status(code, body, headers))
      expect(error).toMatchObject(expected)
      expect(error?.message).toMatch(words)
      expect(error?.message).not.toContain(KEY)
      expect(error?.message).not.toContain('very-secret')
      expect(events).toEqual([])
    },
  )

  test('a date says when to come back', async () => {
    const { error } = await ask(status(429, said('x'), { 'retry-after': new Date(Date.now() + 30_000).toUTCString() }))
    expect(error?.retryAfterMs).toBeGreaterThan(25_000)
    expect(error?.retryAfterMs).toBeLessThanOrEqual(30_000)
  })

  test.each<[string, Answering]>([
    ['a page instead of an answer', status(200, '<html>Sign in</html>')],
    ['nothing at all', (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end()],
  ])('%s is no answer', async (_name, answering) => {
    const { error } = await ask(answering)
    expect(error).toMatchObject({ code: 'MODEL_STREAM_BROKEN' })
  })

  test('by nobody: a server that is not there is said to be unreachable, and may be tried again', async () => {
    const gone = fromAiSdk(createOpenAICompatible({ name: 'local', baseURL: 'http://127.0.0.1:9/v1', apiKey: KEY })('m'))
    const asking = gone.stream({ messages: [] }, new AbortController().signal)[Symbol.asyncIterator]().next()
    await expect(asking).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      retryable: true,
      message: expect.stringMatching(/cannot be reached/),
    })
  })
})

test('in the format of Anthropic, too, an answer that ends in the middle of a call is broken', async () => {
  const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
  server.answer(async (response) => {
    begin(response)
    await write(
      response,
      event('message_start', {
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'c',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'I will ' } }),
      event('content_block_stop', { index: 0 }),
      event('content_block_start', { index: 1, content_block: { type: 'tool_use', id: 't', name: 'rm', input: {} } }),
      event('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: '{"path":' } }),
    )
    response.end()
  })
  const events: ModelEvent[] = []
  const claude = fromAiSdk(createAnthropic({ baseURL: server.url, apiKey: KEY, headers: { connection: 'close' } })('c'))
  const asking = async () => {
    for await (const each of claude.stream(
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] },
      new AbortController().signal,
    ))
      events.push(each)
  }
  await expect(asking()).rejects.toMatchObject({ code: 'MODEL_STREAM_BROKEN' })
  expect(events.some(({ kind }) => kind === 'tool-call' || kind === 'finish')).toBe(false)
})

test('an agent gets through all of it: it is refused, waits, is cut off, goes on, and runs what is whole alone', async () => {
  server.answer(
    (response) =>
      void response.writeHead(429, { 'retry-after-ms': '1', 'content-type': 'application/json' }).end('{"error":{"message":"Busy"}}'),
    (response) => void response.writeHead(500).end(),
    async (response) => {
      begin(response)
      await write(response, chunk({ content: 'First ' }), callChunk(0, { id: 'c', name: 'rm', args: '{"n":1}' }))
      response.destroy()
    },
    async (response) => {
      begin(response)
      await write(response, callChunk(0, { id: 'c', name: 'rm', args: '{"n":2}' }), chunk({}, 'tool_calls'), 'data: [DONE]\n\n')
      response.end()
    },
    async (response) => {
      begin(response)
      await write(response, chunk({ content: 'Done.' }), DONE)
      response.end()
    },
  )
  const ran: unknown[] = []
  const runtime = createRuntime({ logger: createRecordingLogger() })
  runtime.tools.register(createTestTool('rm', async (args) => ran.push(args)))
  const session = await openSession(createMemoryStore(), 's', { create: true })
  const agent = createAgent({ runtime, session, model: model(), patience: { backoffMs: 1 } })
  expect(await agent.run('go')).toMatchObject({ outcome: 'answered', text: 'Done.', steps: 3 })
  expect(ran).toEqual([{ n: 2 }])
  expect(server.requests).toBe(5)
})
