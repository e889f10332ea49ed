import { type ContentBlock, toToolCallId } from '@dsh/tools'
import { expect, test } from 'vitest'
import { openAiChat } from './open-ai-chat.ts'
import { openAiResponses } from './open-ai-responses.ts'

const made = { type: 'function', id: 'c', function: { name: 't', arguments: '{"a":1}' } }
const ours = [{ type: 'tool-call', callId: 'c', name: 't', arguments: '{"a":1}' }]

test('chat: calls are read of a response, of its message, and of the list of calls alone', () => {
  const message = { role: 'assistant', content: null, tool_calls: [made] }
  expect(openAiChat.fromCalls({ choices: [{ index: 0, message }] })).toEqual(ours)
  expect(openAiChat.fromCalls(message)).toEqual(ours)
  expect(openAiChat.fromCalls([made])).toEqual(ours)
  expect(openAiChat.fromCalls({ role: 'assistant', content: 'x', tool_calls: null })).toEqual([])
})

test('chat: servers that are not as strict are understood: no type, no arguments, or arguments that were parsed', () => {
  const read = (called: object) => openAiChat.fromCalls([{ id: 'c', function: { name: 't', ...called } }])[0]?.arguments
  expect([{}, { arguments: null }, { arguments: { a: 1 } }].map(read)).toEqual(['', '', '{"a":1}'])
  expect(openAiChat.fromCalls([{ ...made, type: 'odd' }])).toEqual(ours)
  expect(openAiChat.fromCalls([{ id: 'c', type: 'odd', odd: {} }])).toEqual([])
})

test('chat: results are read of one message, too', () => {
  expect(openAiChat.fromResults({ role: 'tool', tool_call_id: 'c', content: 'x' })).toEqual([
    { callId: 'c', isError: false, content: [{ type: 'text', text: 'x' }] },
  ])
})

test('responses: arguments that are left out are blank', () => {
  const read = (item: object) => openAiResponses.fromCalls([{ type: 'function_call', call_id: 'c', name: 't', ...item }])[0]?.arguments
  expect([{}, { arguments: null }].map(read)).toEqual(['', ''])
})

test('responses: a picture that the API would refuse is named instead', () => {
  const content: ContentBlock[] = [{ type: 'image', mediaType: 'image/tiff', data: 'AAAA' }]
  const [item] = openAiResponses.toResults([{ callId: toToolCallId('c'), result: { isError: false, value: null, content } }])
  expect(item?.output).toBe('[image/tiff, 3 bytes: not shown here]')
})

test('responses: parts of other makers are read, or at least named', () => {
  const output = [
    { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
    { type: 'input_file', file_url: 'https://x/a.pdf' },
    { type: 'input_file', file_id: 'f' },
    { type: 'input_image', file_id: 'f', image_url: null },
  ]
  expect(openAiResponses.fromResults([{ type: 'function_call_output', call_id: 'c', output }])[0]?.content).toEqual([
    { type: 'resource', uri: 'a.pdf', mediaType: 'application/pdf', data: 'AAAA' },
    { type: 'resource', uri: 'https://x/a.pdf' },
    { type: 'text', text: '[input_file: not shown here]' },
    { type: 'text', text: '[input_image: not shown here]' },
  ])
})
