import { type ContentBlock, type ToolCallResult, toToolCallId } from '@dsh/tools'
import { expect, test } from 'vitest'
import { type AiSdkImages, aiSdk } from './ai-sdk.ts'

const call = (toolCallId: string, more: object = {}) => ({ type: 'tool-call', toolCallId, toolName: 't', input: { a: 1 }, ...more })
const idsOf = (answer: unknown) => aiSdk.fromCalls(answer).map(({ callId }) => callId)
const picture: ContentBlock = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' }
const seen: ToolCallResult = {
  callId: toToolCallId('c'),
  result: { isError: false, value: null, content: [{ type: 'text', text: 'See:' }, picture] },
}
const read = (...parts: unknown[]) =>
  aiSdk.fromResults([{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'content', value: parts } }])[0]?.content

test('its tools bear the marks by which every version of the SDK knows a schema, and validate nothing', () => {
  const parameters = { type: 'object', properties: {} } as const
  const { look } = aiSdk.toTools([{ name: 'look', description: 'Looks.', parameters }])
  expect(look?.inputSchema).toEqual({
    [Symbol.for('vercel.ai.schema')]: true,
    [Symbol.for('vercel.ai.validator')]: true,
    jsonSchema: parameters,
    validate: undefined,
  })
  expect(Object.keys(look?.inputSchema ?? {})).toContain('validate') // by whose presence, too, the SDK knows it
})

test('calls that the SDK has answered itself are left out: they have their results in its messages', () => {
  const content = [
    call('open'),
    call('ran'),
    { type: 'tool-result', toolCallId: 'ran', toolName: 't', output: 1 },
    call('broke'),
    { type: 'tool-error', toolCallId: 'broke', toolName: 't', error: new Error('x') },
  ]
  expect(idsOf({ content, toolCalls: content.filter(({ type }) => type === 'tool-call') })).toEqual(['open'])
  expect(idsOf([call('open'), call('refused', { invalid: true, input: '{"a":' }), call('theirs', { providerExecuted: true })])).toEqual([
    'open',
  ])
})

test('calls are read of a message, of its content, and of the list of calls alone', () => {
  expect(idsOf({ role: 'assistant', content: [{ type: 'text', text: 'x' }, call('c')] })).toEqual(['c'])
  expect(idsOf([call('c')])).toEqual(['c'])
  expect(idsOf({ toolCalls: [call('c')] })).toEqual(['c'])
  expect(idsOf({ role: 'assistant', content: 'text alone' })).toEqual([])
})

test('input that is missing is blank, and every other one is JSON', () => {
  const argumentsOf = (input: unknown) => aiSdk.fromCalls([call('c', { input })])[0]?.arguments
  expect([undefined, null, [1], { a: 'ü' }].map(argumentsOf)).toEqual(['', 'null', '[1]', '{"a":"ü"}'])
})

test.each<[AiSdkImages | undefined, object]>([
  [undefined, { type: 'image-data', data: 'iVBORw0KGgo=', mediaType: 'image/png' }],
  ['media', { type: 'media', data: 'iVBORw0KGgo=', mediaType: 'image/png' }],
  ['file', { type: 'file', data: { type: 'data', data: 'iVBORw0KGgo=' }, mediaType: 'image/png' }],
])('pictures are given as the version of the SDK wants them: %s', (images, part) => {
  const [made] = aiSdk.toResults([seen], [{ name: 't' }], images && { images })
  expect(made?.output).toEqual({ type: 'content', value: [{ type: 'text', text: 'See:' }, part] })
  expect(read(part)).toEqual([picture])
})

test('for a provider that takes text alone, pictures are named instead', () => {
  const [made] = aiSdk.toResults([seen], [{ name: 't' }], { images: 'text' })
  expect(made?.output).toEqual({ type: 'text', value: 'See:\n[image/png, 8 bytes: not shown here]' })
})

test('results without their calls are refused: the format wants the names of the tools', () => {
  expect(() => aiSdk.toResults([seen], [])).toThrow(
    new TypeError('aiSdk.toResults() takes the calls that were executed, and there are 0 of them for 1 results.'),
  )
})

test('parts of other makers are read, or at least named', () => {
  expect(
    read(
      { type: 'file-data', data: 'AAAA', mediaType: 'audio/wav' },
      { type: 'file-data', data: 'AAAA', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', mediaType: 'text/csv', data: { type: 'data', data: 'AAAA' } },
      { type: 'image-url', url: 'https://x/y.png' },
      { type: 'file', mediaType: 'text/csv', data: { type: 'url', url: new URL('https://x/y.csv') } },
      { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'plain' } },
      { type: 'file', mediaType: 'text/plain', data: { type: 'reference', reference: {} } },
      { type: 'custom' },
    ),
  ).toEqual([
    { type: 'audio', mediaType: 'audio/wav', data: 'AAAA' },
    { type: 'resource', uri: 'a.pdf', mediaType: 'application/pdf', data: 'AAAA' },
    { type: 'resource', uri: 'file', mediaType: 'text/csv', data: 'AAAA' },
    { type: 'resource', uri: 'https://x/y.png' },
    { type: 'resource', uri: 'https://x/y.csv' },
    { type: 'text', text: 'plain' },
    { type: 'text', text: '[file: not shown here]' },
    { type: 'text', text: '[custom: not shown here]' },
  ])
})

test('results of every kind say whether they failed', () => {
  const results = [
    { type: 'json', value: { a: 1 } },
    { type: 'error-json', value: 'x' },
    { type: 'execution-denied', reason: 'Not today.' },
    { type: 'execution-denied' },
  ].map((output) => ({ type: 'tool-result', toolCallId: 'c', toolName: 't', output }))
  expect(aiSdk.fromResults({ role: 'tool', content: results }).map(({ isError, content }) => [isError, content])).toEqual([
    [false, [{ type: 'text', text: '{"a":1}' }]],
    [true, [{ type: 'text', text: '"x"' }]],
    [true, [{ type: 'text', text: 'Not today.' }]],
    [true, [{ type: 'text', text: 'The call was denied.' }]],
  ])
})
