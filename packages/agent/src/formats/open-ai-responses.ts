import type { ContentBlock, ToolCallBlock, ToolCallResult, ToolSchema } from '@dsh/tools'
import { isPicture } from '../content/picture.ts'
import { wordsFor } from '../content/words-for.ts'
import { argumentsOf, callBlock } from './call-block.ts'
import { blockOfBytes, contentOfText, notShown, textOfContent } from './content-text.ts'
import { listAt, objectAt, textAt, type Wire, type WireResult } from './wire.ts'

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

  /**
   * The calls of a response, or of its `output`. Calls of other kinds are left out.
   * @throws TypeError naming the place of what is malformed.
   */
  fromCalls: (answer: unknown): ToolCallBlock[] =>
    itemsOf(answer).flatMap(({ place, item }) => {
      const { type, call_id: id, name, arguments: args } = item
      if (type !== 'function_call') return []
      return [
        callBlock({
          id,
          name: textAt(name, `${place}.name`),
          args: argumentsOf(args ?? '', `${place}.arguments`),
          idPlace: `${place}.call_id`,
        }),
      ]
    }),

  /** Calls as items of an `input`. A call without an id has an empty one there. */
  toCalls: (calls: readonly ToolCallBlock[]): OpenAiResponsesCall[] =>
    calls.map(({ callId, name, arguments: args }) => ({ type: 'function_call', call_id: callId ?? '', name, arguments: args })),

  /** The items that answer calls, in their order, for the next `input`. */
  toResults: (results: readonly ToolCallResult[]): OpenAiResponsesResult[] =>
    results.map(({ callId, result: { content } }) => ({
      type: 'function_call_output',
      call_id: callId,
      output: content.some(isPicture) ? content.map(toPart) : textOfContent(content),
    })),

  /** The results among items. @throws TypeError naming the place of what is malformed. */
  fromResults: (items: unknown): WireResult[] =>
    itemsOf(items).flatMap(({ place, item }) => {
      const { type, call_id: id, output } = item
      if (type !== 'function_call_output') return []
      return [{ callId: textAt(id, `${place}.call_id`), isError: false, content: fromOutput(output, `${place}.output`) }]
    }),
} as const

/** The items of a whole response, or the items themselves. */
function itemsOf(answer: unknown): { readonly place: string; readonly item: Wire }[] {
  const isList = Array.isArray(answer)
  const at = isList ? '' : 'output'
  const items = listAt(isList ? answer : objectAt(answer, 'The answer')['output'], at)
  return items.map((each, index) => ({ place: `${at}[${index}]`, item: objectAt(each, `${at}[${index}]`) }))
}

function toPart(block: ContentBlock): OpenAiResponsesPart {
  if (!isPicture(block)) return { type: 'input_text', text: wordsFor(block) }
  return { type: 'input_image', image_url: `data:${block.mediaType};base64,${block.data}`, detail: 'auto' }
}

function fromOutput(output: unknown, place: string): ContentBlock[] {
  if (typeof output === 'string') return contentOfText(output)
  return listAt(output, place).map((part, index) => fromPart(part, `${place}[${index}]`))
}

function fromPart(value: unknown, place: string): ContentBlock {
  const { type, text, image_url: image, file_url: file, file_data: data, filename } = objectAt(value, place)
  if (type === 'input_text') return { type: 'text', text: textAt(text, `${place}.text`) }
  const url = image ?? data ?? file
  if (typeof url !== 'string') return notShown(type) // a file that is kept with the provider, or a kind that we do not know
  const [, mediaType, bytes] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? []
  return mediaType === undefined || bytes === undefined
    ? { type: 'resource', uri: url }
    : blockOfBytes({ mediaType, data: bytes, name: filename })
}
