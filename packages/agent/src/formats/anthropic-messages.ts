import type { ContentBlock, JsonValue, ToolCallBlock, ToolCallResult, ToolSchema } from '@dsh/tools'
import { inputOf } from '../content/input-of.ts'
import { isPicture, type Picture } from '../content/picture.ts'
import { wordsFor } from '../content/words-for.ts'
import { argumentsOf, callBlock } from './call-block.ts'
import { blockOfBytes, contentOfText, notShown } from './content-text.ts'
import { listAt, objectAt, textAt, type Wire, type WireResult } from './wire.ts'

/** A tool, as the Messages API declares it. */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  /** A copy: the SDK's type wants a list of required names that it may change. */
  readonly input_schema: ToolSchema['parameters'] & { readonly required?: string[] }
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
  | {
      readonly type: 'image'
      readonly source: { readonly type: 'base64'; readonly media_type: Picture['mediaType']; readonly data: string }
    }

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
    schemas.map(({ name, description, parameters }) => {
      const { required, ...rest } = parameters
      return { name, description, input_schema: { ...rest, ...(required && { required: [...required] }) } }
    }),

  /**
   * The calls of a message, or of its `content`. What the provider runs itself is left out.
   * @throws TypeError naming the place of what is malformed.
   */
  fromCalls: (message: unknown): ToolCallBlock[] =>
    blocksOf(message).flatMap(({ place, block }) => {
      const { type, id, name, input } = block
      if (type !== 'tool_use') return []
      return [callBlock({ id, name: textAt(name, `${place}.name`), args: argumentsOf(input, `${place}.input`), idPlace: `${place}.id` })]
    }),

  /** Calls as blocks of an assistant's message. A call without an id has an empty one there. */
  toCalls: (calls: readonly ToolCallBlock[]): AnthropicCall[] =>
    calls.map(({ callId, name, arguments: args }) => ({ type: 'tool_use', id: callId ?? '', name, input: inputOf(args) })),

  /** The blocks that answer calls, in their order: the first of the next user's message. A failure is given in text alone, as the API wants it. */
  toResults: (results: readonly ToolCallResult[]): AnthropicResult[] =>
    results.map(({ callId, result }) => ({
      type: 'tool_result',
      tool_use_id: callId,
      content: toParts(result),
      ...(result.isError && { is_error: true }),
    })),

  /** The results of a user's message, or of its `content`. @throws TypeError naming the place of what is malformed. */
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
function blocksOf(message: unknown): { readonly place: string; readonly block: Wire }[] {
  const isList = Array.isArray(message)
  const at = isList ? '' : 'content'
  const content = isList ? message : objectAt(message, 'The message')['content']
  if (typeof content === 'string') return []
  return listAt(content, at).map((each, index) => ({ place: `${at}[${index}]`, block: objectAt(each, `${at}[${index}]`) }))
}

/** The API refuses a text that is empty, and a failure that says nothing. */
function toParts(result: ToolCallResult['result']): AnthropicPart[] {
  const parts = result.content.map((block) => (result.isError ? toText(block) : toPart(block)))
  const telling = parts.filter((part) => part.type !== 'text' || part.text !== '')
  return result.isError && telling.length === 0 ? [{ type: 'text', text: `Error: ${result.error.message}` }] : telling
}

function toPart(block: ContentBlock): AnthropicPart {
  if (!isPicture(block)) return toText(block)
  return { type: 'image', source: { type: 'base64', media_type: block.mediaType, data: block.data } }
}

function toText(block: ContentBlock): AnthropicPart {
  return { type: 'text', text: wordsFor(block) }
}

function fromPart(value: unknown, place: string): ContentBlock {
  const part = objectAt(value, place)
  const { type, text, title } = part
  if (type === 'text') return { type: 'text', text: textAt(text, `${place}.text`) }
  if (type !== 'image' && type !== 'document') return notShown(type)
  const { media_type: mediaType, data, url } = objectAt(part['source'], `${place}.source`)
  if (typeof url === 'string') return { type: 'resource', uri: url }
  if (typeof data !== 'string') return notShown(type) // a file that is kept with the provider
  if (mediaType === 'text/plain') return { type: 'resource', uri: typeof title === 'string' ? title : 'document', mediaType, text: data }
  return blockOfBytes({ mediaType: textAt(mediaType, `${place}.source.media_type`), data, name: title })
}
