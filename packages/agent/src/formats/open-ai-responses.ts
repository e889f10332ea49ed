import type { ContentBlock, ToolCallBlock, ToolCallResult, ToolSchema } from '@dsh/tools'
import { wordsFor } from '../content/words-for.ts'
import { callBlock, contentOfText, listAt, objectAt, textAt, textOfContent, type Wire, type WireResult } from './wire.ts'

/** A tool, as the Responses API declares it. */
export interface OpenAiResponsesTool {
  readonly type: 'function'
  readonly name: string
  readonly description: string
  readonly parameters: ToolSchema['parameters']
  /** Our schemas may have optional properties, which the strict mode refuses. */
  readonly strict: false
}

/** A call among the items of a response. */
export interface OpenAiResponsesCall {
  readonly type: 'function_call'
  readonly call_id: string
  readonly name: string
  readonly arguments: string
}

/** A part of a result that holds more than text. */
export type OpenAiResponsesPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' }

/** The item that answers a call. */
export interface OpenAiResponsesResult {
  readonly type: 'function_call_output'
  readonly call_id: string
  readonly output: string | OpenAiResponsesPart[]
}

/** The Responses API of OpenAI. It does not say whether a call failed: our text does. */
export const openAiResponses = {
  /** The tools of a request: `tools`. */
  toTools: (schemas: readonly ToolSchema[]): OpenAiResponsesTool[] =>
    schemas.map(({ name, description, parameters }) => ({ type: 'function', name, description, parameters, strict: false })),

  /** The calls of a response, or of its `output`. Calls of other kinds are left out. @throws TypeError naming the place of what is none. */
  fromCalls: (answer: unknown): ToolCallBlock[] =>
    itemsOf(answer).flatMap(({ place, item }) => {
      if (item['type'] !== 'function_call') return []
      const { call_id: id, name, arguments: args } = item
      return [callBlock({ id, name: textAt(name, `${place}.name`), args: textAt(args ?? '', `${place}.arguments`) })]
    }),

  /** Calls as items of an `input`. */
  toCalls: (calls: readonly ToolCallBlock[]): OpenAiResponsesCall[] =>
    calls.map(({ callId, name, arguments: args }) => ({ type: 'function_call', call_id: callId ?? '', name, arguments: args })),

  /** The items that answer calls, in their order, for the next `input`. */
  toResults: (results: readonly ToolCallResult[]): OpenAiResponsesResult[] =>
    results.map(({ callId, result: { content } }) => ({
      type: 'function_call_output',
      call_id: callId,
      output: content.some(isPicture) ? content.map(toPart) : textOfContent(content),
    })),

  /** The results among items. @throws TypeError naming the place of what is none. */
  fromResults: (items: unknown): WireResult[] =>
    itemsOf(items).flatMap(({ place, item }) => {
      if (item['type'] !== 'function_call_output') return []
      const { call_id: id, output } = item
      const content = Array.isArray(output)
        ? output.map((part) => fromPart(part, `${place}.output`))
        : contentOfText(textAt(output, `${place}.output`))
      return [{ callId: textAt(id, `${place}.call_id`), isError: false, content }]
    }),
} as const

/** The items of a whole response, or the items themselves. */
function itemsOf(answer: unknown): { readonly place: string; readonly item: Wire }[] {
  const items = Array.isArray(answer) ? answer : listAt(objectAt(answer, 'The answer')['output'], 'output')
  return items.map((each, index) => ({ place: `output[${index}]`, item: objectAt(each, `output[${index}]`) }))
}

function isPicture(block: ContentBlock): boolean {
  return block.type === 'image' && typeof block.data === 'string'
}

function toPart(block: ContentBlock): OpenAiResponsesPart {
  if (block.type !== 'image' || typeof block.data !== 'string') return { type: 'input_text', text: wordsFor(block) }
  return { type: 'input_image', image_url: `data:${block.mediaType};base64,${block.data}`, detail: 'auto' }
}

function fromPart(value: unknown, place: string): ContentBlock {
  const part = objectAt(value, place)
  if (part['type'] !== 'input_image') return { type: 'text', text: textAt(part['text'], `${place}.text`) }
  const url = textAt(part['image_url'], `${place}.image_url`)
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? []
  return mediaType === undefined || data === undefined ? { type: 'resource', uri: url } : { type: 'image', mediaType, data }
}
