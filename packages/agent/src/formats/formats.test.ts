import { readFileSync } from 'node:fs'
import { type ContentBlock, createRuntime, type ToolCallBlock, type ToolCallResult, toToolCallId } from '@dsh/tools'
import { createRecordingLogger, createTestTool } from '@dsh/tools/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wordsFor } from '../content/words-for.ts'
import { aiSdk } from './ai-sdk.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { openAiChat } from './open-ai-chat.ts'
import { openAiResponses } from './open-ai-responses.ts'
import type { WireResult } from './wire.ts'

/** What an exchange looks like on the wire, as the provider documents it. */
interface Golden {
  readonly tools: unknown
  readonly answer: any // any: a wire format
  readonly calls: any[]
  readonly results: any[]
}

interface Format {
  readonly name: string
  readonly toTools: (schemas: any) => unknown
  readonly fromCalls: (answer: unknown) => ToolCallBlock[]
  readonly toCalls: (calls: readonly ToolCallBlock[]) => unknown[]
  readonly toResults: (results: readonly ToolCallResult[], calls: readonly ToolCallBlock[]) => unknown[]
  readonly fromResults: (wire: unknown) => WireResult[]
  /** Whether it can say that a call failed, show pictures, keep the text of arguments as it is, and keep texts apart that stand without pictures. */
  readonly can: { readonly fail: boolean; readonly show: boolean; readonly keepText: boolean; readonly parts?: true }
}

const FORMATS: readonly Format[] = [
  { name: 'open-ai-chat', ...openAiChat, can: { fail: false, show: false, keepText: true } },
  { name: 'open-ai-responses', ...openAiResponses, can: { fail: false, show: true, keepText: true } },
  { name: 'anthropic-messages', ...anthropicMessages, can: { fail: true, show: true, keepText: false, parts: true } },
  { name: 'ai-sdk', ...aiSdk, can: { fail: true, show: true, keepText: false } },
]

/** An answer with one call of `t`, whose arguments are this text: so clients give what they could not parse. */
const WRITTEN: Readonly<Record<string, (args: string) => unknown>> = {
  'open-ai-chat': (args) => ({ tool_calls: [{ id: 'c', type: 'function', function: { name: 't', arguments: args } }] }),
  'open-ai-responses': (args) => ({ output: [{ type: 'function_call', call_id: 'c', name: 't', arguments: args }] }),
  'anthropic-messages': (args) => ({ content: [{ type: 'tool_use', id: 'c', name: 't', input: args }] }),
  'ai-sdk': (args) => ({ content: [{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: args }] }),
}
const LIVE = new AbortController().signal

const PARAMETERS = { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] } as const
const SCHEMAS = [{ name: 'get_weather', description: 'The weather of a place.', parameters: PARAMETERS }]
const call = (callId: string, name: string, args: string): ToolCallBlock => ({
  type: 'tool-call',
  callId: toToolCallId(callId),
  name,
  arguments: args,
})
const CALLS = [call('call_1', 'get_weather', '{"location":"Paris"}'), call('call_2', 'get_weather', '{"location":"北京"}')]
const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const picture: ContentBlock = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' }

function result(callId: string, isError: boolean, ...content: ContentBlock[]): ToolCallResult {
  const id = toToolCallId(callId)
  return isError
    ? { callId: id, result: { isError, content, error: { message: 'x' } } }
    : { callId: id, result: { isError: false, value: null, content } }
}
const RESULTS = [
  result('call_1', false, text('14 degrees')),
  result('call_2', true, text('Error: no station.')),
  result('call_3', false, text('The sky:'), picture),
]
const EXECUTED = [...CALLS, call('call_3', 'get_sky', '{}')]

describe.each(FORMATS)('$name', (format) => {
  const golden: Golden = JSON.parse(readFileSync(new URL(`./golden/${format.name}.json`, import.meta.url), 'utf8'))

  test('tools are declared as it documents them', () => {
    expect(JSON.parse(JSON.stringify(format.toTools(SCHEMAS)))).toEqual(golden.tools)
  })

  test('the calls of a documented answer are ours', () => {
    expect(format.fromCalls(golden.answer)).toEqual(CALLS)
    expect(format.toCalls(CALLS)).toEqual(golden.calls)
  })

  test('our results are the documented ones, and are read back', () => {
    expect(format.toResults(RESULTS, EXECUTED)).toEqual(golden.results)
    const back = format.fromResults(golden.results)
    expect(back.map(({ callId }) => callId)).toEqual(['call_1', 'call_2', 'call_3'])
    expect(back.map(({ isError }) => isError)).toEqual([false, format.can.fail, false])
    expect(back[2]?.content.at(-1)).toEqual(format.can.show ? picture : text('The sky:\n[image/png, 8 bytes: not shown here]'))
  })

  test('an answer goes to a runtime and its results come back, in one line each', async () => {
    const runtime = createRuntime({ logger: createRecordingLogger() })
    runtime.tools.register(createTestTool('get_weather', async (args) => (args as { location: string }).location))
    const calls = format.fromCalls(golden.answer)
    const { results } = await runtime.tools.execute({ calls, signal: new AbortController().signal })
    expect(format.fromResults(format.toResults(results, calls)).map(({ callId, content }) => [callId, content])).toEqual([
      ['call_1', [text('"Paris"')]],
      ['call_2', [text('"北京"')]],
    ])
  })

  test('calls and results survive the way there and back, as far as the format can carry them', () => {
    const name = fc.stringMatching(/^[\w-]{1,20}$/)
    const args = format.can.keepText ? fc.string() : fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value))
    const calls = fc.array(fc.tuple(name, args)).map((made) => made.map(([tool, value], index) => call(`c${index}`, tool, value)))
    fc.assert(
      fc.property(calls, (made) => {
        const back = format.fromCalls(format.name === 'open-ai-chat' ? { tool_calls: format.toCalls(made) } : format.toCalls(made))
        expect(back.map((each) => ({ ...each, arguments: format.can.keepText ? each.arguments : JSON.parse(each.arguments) }))).toEqual(
          made.map((each) => ({ ...each, arguments: format.can.keepText ? each.arguments : JSON.parse(each.arguments) })),
        )
      }),
    )
    const content = fc.string({ minLength: 1 }).map(text)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), content)), (made) => {
        const results = made.map(([isError, block], index) => result(`c${index}`, isError, block))
        const back = format.fromResults(
          format.toResults(
            results,
            results.map(({ callId }) => call(callId, 't', '')),
          ),
        )
        expect(back).toEqual(
          made.map(([isError, block], index) => ({ callId: `c${index}`, isError: isError && format.can.fail, content: [block] })),
        )
      }),
    )
  })

  test('text and pictures keep their order, as far as the format can carry them', () => {
    const shown = fc.base64String({ minLength: 4 }).map((data): ContentBlock => ({ type: 'image', mediaType: 'image/webp', data }))
    const blocks = fc.array(fc.oneof(fc.string({ minLength: 1 }).map(text), shown), { minLength: 1 })
    fc.assert(
      fc.property(blocks, (content) => {
        const [back] = format.fromResults(format.toResults([result('c', false, ...content)], [call('c', 't', '')]))
        const isKept = format.can.show && (format.can.parts || content.some(({ type }) => type === 'image'))
        if (isKept) expect(back?.content).toEqual(content)
        else expect(back?.content).toEqual([text(content.map(wordsFor).join('\n'))])
      }),
    )
  })

  test('a result that says nothing is an answer all the same', () => {
    expect(format.fromResults(format.toResults([result('c', false)], [call('c', 't', '')]))).toEqual([
      { callId: 'c', isError: false, content: [] },
    ])
  })

  test('what cannot be shown is named, with its kind and its size', () => {
    const blocks: ContentBlock[] = [
      { type: 'audio', mediaType: 'audio/wav', data: 'AAAA' },
      { type: 'image', mediaType: 'image/png', data: { store: 's', id: 'b', bytes: 1_200 } },
      { type: 'resource', uri: 'file:///a.txt', text: 'all of it' },
    ]
    const [back] = format.fromResults(format.toResults([result('c', false, ...blocks)], [call('c', 't', '')]))
    expect(back?.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n')).toBe(
      '[audio/wav, 3 bytes: not shown here]\n[image/png, 1,200 bytes: not shown here]\nfile:///a.txt:\nall of it',
    )
  })

  test('a failure keeps its words, and what else it holds is named', () => {
    const failed = result('c', true, text('Error: too late.'), picture)
    const [back] = format.fromResults(format.toResults([failed], [call('c', 't', '')]))
    const words = back?.content.map((block) => (block.type === 'image' ? 'a picture' : wordsFor(block))).join('\n')
    expect(words).toBe(`Error: too late.\n${format.name === 'open-ai-responses' ? 'a picture' : '[image/png, 8 bytes: not shown here]'}`)
  })

  test('names pass through, whatever they are made of', () => {
    const odd = ['mcp/server.tool', 'ツール', '__proto__', '']
    const made = odd.map((name, index) => call(`c${index}`, name, '{}'))
    const back = format.fromCalls(format.name === 'open-ai-chat' ? { tool_calls: format.toCalls(made) } : format.toCalls(made))
    expect(back.map(({ name }) => name)).toEqual(odd)
  })

  test('arguments that are no JSON are refused by the runtime, not here, and in their place', async () => {
    const runtime = createRuntime({ logger: createRecordingLogger() })
    runtime.tools.register(createTestTool('t', async () => 'ran'))
    const { results } = await runtime.tools.execute({ calls: format.fromCalls(WRITTEN[format.name]?.('{"a":')), signal: LIVE })
    expect(results.map(({ result: { error } }) => error?.info?.code)).toEqual(['INVALID_ARGS'])
    const blank = await runtime.tools.execute({ calls: format.fromCalls(WRITTEN[format.name]?.(' ')), signal: LIVE })
    expect(blank.results.map(({ result: { isError } }) => isError)).toEqual([false])
  })

  test('arguments that are no object go to the runtime as they are, and back as an empty one where an object is wanted', () => {
    const [back] = format.toCalls([call('c', 't', '[1]')])
    expect(JSON.stringify(back)).toContain(format.can.keepText ? '[1]' : '{}')
  })

  test('an answer without calls has none', () => {
    const empty = {
      'open-ai-chat': { role: 'assistant', content: 'hi' },
      'open-ai-responses': { output: [] },
      'anthropic-messages': { content: 'hi' },
      'ai-sdk': { content: 'hi' },
    }
    expect(format.fromCalls(empty[format.name as keyof typeof empty])).toEqual([])
  })

  test.each([null, 7, 'x', undefined])('what is no answer is refused: %j', (answer) => {
    expect(() => format.fromCalls(answer)).toThrow(/must be an object, and is (null|number|string|undefined)\./)
  })
})

test.each([
  [() => openAiChat.fromCalls({ tool_calls: {} }), 'tool_calls must be a list, and is an object.'],
  [() => openAiChat.fromCalls({ tool_calls: [{}] }), 'tool_calls[0].function must be an object, and is undefined.'],
  [
    () => openAiChat.fromCalls({ tool_calls: [{ function: { arguments: '{}' } }] }),
    'tool_calls[0].function.name must be a text, and is undefined.',
  ],
  [() => openAiChat.fromCalls({ choices: [] }), 'choices[0] must be an object, and is undefined.'],
  [() => openAiResponses.fromCalls({ output: [{ type: 'function_call' }] }), 'output[0].name must be a text, and is undefined.'],
  [() => anthropicMessages.fromCalls([{ type: 'text' }, { type: 'tool_use', id: 'x' }]), '[1].name must be a text, and is undefined.'],
  [() => aiSdk.fromCalls({ toolCalls: [{ type: 'tool-call' }] }), 'toolCalls[0].toolName must be a text, and is undefined.'],
  [() => openAiChat.fromResults([{ role: 'tool', content: 'x' }]), 'messages[0].tool_call_id must be a text, and is undefined.'],
])('what is malformed is refused by its place', (read, message) => {
  expect(read).toThrow(new TypeError(message))
})

test.each([
  [
    () => openAiChat.fromCalls({ tool_calls: [{ function: { name: 't' } }, { id: 7, function: { name: 't' } }] }),
    'tool_calls[1].id must be',
  ],
  [
    () => openAiChat.fromResults({ role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'a' }, 7] }),
    'messages[0].content[1] must be',
  ],
  [() => openAiResponses.fromResults([{ type: 'function_call_output', call_id: 'c', output: [7] }]), '[0].output[0] must be an object'],
  [
    () => anthropicMessages.fromResults([{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text' }] }]),
    '[0].content[0].text must be',
  ],
  [
    () => anthropicMessages.fromCalls({ content: [{ type: 'tool_use', name: 't', input: 1n }] }),
    'content[0].input must be JSON, and cannot be: ',
  ],
  [() => aiSdk.fromCalls([{ type: 'tool-call', toolName: 't', input: () => 1 }]), '[0].input must be JSON, and is function.'],
  [() => anthropicMessages.fromCalls([[]]), '[0] must be an object, and is a list.'],
  [() => aiSdk.fromCalls({ content: Promise.resolve([]) }), 'content must be a list, and is a promise: await it first.'],
  [() => aiSdk.fromResults([{ type: 'tool-result', toolCallId: 'c', output: { type: 'text' } }]), '[0].output.value must be a text'],
])('what is malformed deeper down is refused by its place, too', (read, message) => {
  expect(read).toThrow(TypeError)
  expect(read).toThrow(message)
})

test('calls that somebody else runs are left out', () => {
  expect(openAiChat.fromCalls({ tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'x', input: 'y' } }] })).toEqual([])
  expect(openAiResponses.fromCalls([{ type: 'web_search_call', id: 'w' }])).toEqual([])
  expect(anthropicMessages.fromCalls([{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }])).toEqual([])
  expect(aiSdk.fromCalls([{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: {}, providerExecuted: true }])).toEqual([])
})

test('a call without an id is given one by the runtime', () => {
  expect(openAiChat.fromCalls({ tool_calls: [{ function: { name: 't' } }] })).toEqual([{ type: 'tool-call', name: 't', arguments: '' }])
  expect(openAiChat.fromCalls({ tool_calls: [{ id: '', function: { name: 't', arguments: '{' } }] })).toEqual([
    { type: 'tool-call', name: 't', arguments: '{' },
  ])
})

test('results of other makers are read, too', () => {
  expect(
    anthropicMessages.fromResults({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c', content: 'plain' },
        { type: 'tool_result', tool_use_id: 'd' },
      ],
    }),
  ).toEqual([
    { callId: 'c', isError: false, content: [text('plain')] },
    { callId: 'd', isError: false, content: [] },
  ])
  expect(
    aiSdk.fromResults([{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'error-json', value: { a: 1 } } }]),
  ).toEqual([{ callId: 'c', isError: true, content: [text('{"a":1}')] }])
  expect(
    openAiChat.fromResults([
      { role: 'user', content: 'x' },
      { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'a' }] },
    ]),
  ).toEqual([{ callId: 'c', isError: false, content: [text('a')] }])
  expect(
    openAiResponses.fromResults([
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: 'https://x/y.png' }] },
    ]),
  ).toEqual([{ callId: 'c', isError: false, content: [{ type: 'resource', uri: 'https://x/y.png' }] }])
})
