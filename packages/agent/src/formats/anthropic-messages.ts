import type { ContentBlock, JsonValue, ToolCallBlock, ToolCallResult, ToolSchema } from '@dsh/tools'
import { wordsFor } from '../content/words-for.ts'
import { callBlock, contentOfText, inputOf, listAt, objectAt, textAt, textOfInput, type WireResult } from './wire.ts'

/** A tool, as the Messages API declares it. */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: ToolSchema['parameters']
}

/** A call among the blocks of an assistant's message. */
export interface AnthropicCall {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: { readonly [name: string]: JsonValue }
}

/** A part of a result. */
export type AnthropicPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string } }

/** The block that answers a call, in a user's message. */
export interface AnthropicResult {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: AnthropicPart[]
  readonly is_error?: true
}

/** The Messages API of Anthropic. */
export const anthropicMessages = {
  /** The tools of a request: `tools`. */
  toTools: (schemas: readonly ToolSchema[]): AnthropicTool[] =>
    schemas.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),

  /** The calls of a message, or of its `content`. What the provider runs itself is left out. @throws TypeError naming the place of what is none. */
  fromCalls: (message: unknown): ToolCallBlock[] =>
    blocksOf(message).flatMap(({ place, block }) => {
      if (block['type'] !== 'tool_use') return []
      return [callBlock({ id: block['id'], name: textAt(block['name'], `${place}.name`), args: textOfInput(block['input']) })]
    }),

  /** Calls as blocks of an assistant's message. */
  toCalls: (calls: readonly ToolCallBlock[]): AnthropicCall[] =>
    calls.map(({ callId, name, arguments: args }) => ({ type: 'tool_use', id: callId ?? '', name, input: inputOf(args) })),

  /** The blocks that answer calls, in their order: the first of the next user's message. */
  toResults: (results: readonly ToolCallResult[]): AnthropicResult[] =>
    results.map(({ callId, result: { content, isError } }) => ({
      type: 'tool_result',
      tool_use_id: callId,
      content: content.filter((block) => block.type !== 'text' || block.text !== '').map(toPart), // an empty text is refused
      ...(isError && { is_error: true }),
    })),

  /** The results of a user's message, or of its `content`. @throws TypeError naming the place of what is none. */
  fromResults: (message: unknown): WireResult[] =>
    blocksOf(message).flatMap(({ place, block }) => {
      if (block['type'] !== 'tool_result') return []
      const { content = [] } = block
      const blocks =
        typeof content === 'string'
          ? contentOfText(content)
          : listAt(content, `${place}.content`).map((part, index) => fromPart(part, `${place}.content[${index}]`))
      return [{ callId: textAt(block['tool_use_id'], `${place}.tool_use_id`), isError: block['is_error'] === true, content: blocks }]
    }),
} as const

/** The blocks of a message, or the blocks themselves; a message of text alone has none. */
function blocksOf(message: unknown) {
  const content = Array.isArray(message) ? message : objectAt(message, 'The message')['content']
  if (typeof content === 'string') return []
  return listAt(content, 'content').map((each, index) => ({ place: `content[${index}]`, block: objectAt(each, `content[${index}]`) }))
}

function toPart(block: ContentBlock): AnthropicPart {
  if (block.type !== 'image' || typeof block.data !== 'string') return { type: 'text', text: wordsFor(block) }
  return { type: 'image', source: { type: 'base64', media_type: block.mediaType, data: block.data } }
}

function fromPart(value: unknown, place: string): ContentBlock {
  const part = objectAt(value, place)
  if (part['type'] !== 'image') return { type: 'text', text: textAt(part['text'], `${place}.text`) }
  const { media_type: mediaType, data, url } = objectAt(part['source'], `${place}.source`)
  if (typeof url === 'string') return { type: 'resource', uri: url }
  return { type: 'image', mediaType: textAt(mediaType, `${place}.source.media_type`), data: textAt(data, `${place}.source.data`) }
}
