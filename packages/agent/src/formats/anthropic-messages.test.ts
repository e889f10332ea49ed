import { type ContentBlock, type ToolCallResult, toToolCallId } from '@dsh/tools'
import { expect, test } from 'vitest'
import { anthropicMessages } from './anthropic-messages.ts'

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const callId = toToolCallId('c')
const done = (...content: ContentBlock[]): ToolCallResult => ({ callId, result: { isError: false, value: null, content } })
const failed = (...content: ContentBlock[]): ToolCallResult => ({
  callId,
  result: { isError: true, error: { message: 'no station.' }, content },
})
const partsOf = (result: ToolCallResult) => anthropicMessages.toResults([result])[0]?.content
const read = (...content: unknown[]) => anthropicMessages.fromResults([{ type: 'tool_result', tool_use_id: 'c', content }])[0]?.content

test('what the API would refuse is never sent: an empty text, a picture of another kind, anything but text in a failure, or a failure that says nothing', () => {
  const svg: ContentBlock = { type: 'image', mediaType: 'image/svg+xml', data: 'AAAA' }
  const png: ContentBlock = { type: 'image', mediaType: 'image/png', data: 'AAAA' }
  expect(partsOf(done(text('')))).toEqual([])
  expect(partsOf(done(text('a'), svg))).toEqual([text('a'), text('[image/svg+xml, 3 bytes: not shown here]')])
  expect(partsOf(failed(text('Error: x'), png))).toEqual([text('Error: x'), text('[image/png, 3 bytes: not shown here]')])
  expect(partsOf(failed(text('')))).toEqual([text('Error: no station.')])
})

test('a success does not say that it is none', () => {
  expect(anthropicMessages.toResults([done(text('a'))])[0]).not.toHaveProperty('is_error')
})

test('the schema of a tool is a copy where the SDK wants to own it, and the same in what it says', () => {
  const required = Object.freeze(['a'])
  const parameters = { type: 'object', properties: { a: { type: 'string' } }, required, additionalProperties: false } as const
  const [tool, open] = anthropicMessages.toTools([
    { name: 't', description: 'd', parameters },
    { name: 'u', description: 'd', parameters: { type: 'object' } },
  ])
  expect(tool?.input_schema).toEqual(parameters)
  expect(tool?.input_schema.required).not.toBe(required)
  expect(open?.input_schema).toEqual({ type: 'object' })
})

test('blocks of other makers are read, or at least named', () => {
  expect(
    read(
      { type: 'image', source: { type: 'url', url: 'https://x/y.png' } },
      { type: 'image', source: { type: 'file', file_id: 'f' } },
      { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
      { type: 'tool_reference', tool_name: 't' },
    ),
  ).toEqual([
    { type: 'resource', uri: 'https://x/y.png' },
    text('[image: not shown here]'),
    { type: 'resource', uri: 'a.pdf', mediaType: 'application/pdf', data: 'AAAA' },
    { type: 'resource', uri: 'document', mediaType: 'text/plain', text: 'plain' },
    text('[tool_reference: not shown here]'),
  ])
})
