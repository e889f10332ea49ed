import type { ContentBlock, JsonValue, ToolCallBlock, ToolCallResult, ToolSchema } from '@dsh/tools'
import { inputOf } from '../content/input-of.ts'
import { wordsFor } from '../content/words-for.ts'
import { argumentsOf, callBlock, jsonOf } from './call-block.ts'
import { blockOfBytes, contentOfText, notShown, textOfContent } from './content-text.ts'
import { listAt, objectAt, textAt, type Wire, type WireResult } from './wire.ts'

/** A tool without a body, for the `tools` of `generateText` and `streamText`: its calls come back to the caller. */
export interface AiSdkTool {
  readonly description: string
  /** What `jsonSchema()` makes: what is sent, and no validation, which is the runtime's. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK brands its schemas by a symbol whose type its own package alone can name
  readonly inputSchema: any
}

/** A call in an assistant's message. */
export interface AiSdkCall {
  readonly type: 'tool-call'
  readonly toolCallId: string
  readonly toolName: string
  readonly input: { readonly [name: string]: JsonValue }
}

/**
 * How pictures among results are given: as `media` for the SDK's version 5, `image-data` for 6 and 7, `file` for 7 without its warning; `text`
 * says in words what was left out, for a model whose provider takes text alone (chat completions): it would get the base64 as if it were text.
 */
export type AiSdkImages = 'media' | 'image-data' | 'file' | 'text'

/** How results are to be given. */
export interface AiSdkResultOptions {
  readonly images?: AiSdkImages
}

/** What `images` was asked for: read off the options alone, so that what a result is assigned to cannot change what it says it is. */
type ImagesOf<O> = O extends { readonly images: infer I extends AiSdkImages } ? I : 'image-data'

/** What came of a call. */
export type AiSdkOutput<I extends AiSdkImages = 'image-data'> =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'error-text'; readonly value: string }
  | { readonly type: 'content'; readonly value: AiSdkPart<I>[] }

/** A part of a result that holds more than text. */
export type AiSdkPart<I extends AiSdkImages = 'image-data'> = { readonly type: 'text'; readonly text: string } | AiSdkPicture<I>

type AiSdkPicture<I extends AiSdkImages> = I extends 'text'
  ? never
  : {
      readonly type: I
      readonly data: I extends 'file' ? { readonly type: 'data'; readonly data: string } : string
      readonly mediaType: string
    }

/** A result in a message of the role `tool`. */
export interface AiSdkResult<I extends AiSdkImages = 'image-data'> {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName: string
  readonly output: AiSdkOutput<I>
}

/** What the SDK knows its schemas by: versions 6 and 7 look for the first mark, version 5 for both. */
const BRANDS = { [Symbol.for('vercel.ai.schema')]: true, [Symbol.for('vercel.ai.validator')]: true }

/** The messages of the AI SDK (`ai` 5, 6 and 7). */
export const aiSdk = {
  /** The tools of a request, by name. They have no `execute`: the SDK hands their calls to its caller. */
  toTools: (schemas: readonly ToolSchema[]): Record<string, AiSdkTool> =>
    Object.fromEntries(
      schemas.map(({ name, description, parameters }) => [
        name,
        { description, inputSchema: { ...BRANDS, jsonSchema: parameters, validate: undefined } },
      ]),
    ),

  /**
   * The calls of a result of `generateText`, of an assistant's message, of its content, or of a list of `toolCalls`. Those that the provider
   * runs are left out, and those that the SDK has answered: by a body of its own, or because it found them invalid. What it answered lies in
   * `response.messages`. Input that is text is what the model wrote.
   * @throws TypeError naming the place of what is malformed.
   */
  fromCalls(answer: unknown): ToolCallBlock[] {
    const parts = partsOf(answer)
    const answered = new Set(parts.filter(({ part }) => isAnswer(part)).map(({ part }) => part['toolCallId']))
    return parts.flatMap(({ place, part }) => {
      const { type, toolCallId: id, toolName, input, providerExecuted, invalid } = part
      if (type !== 'tool-call' || providerExecuted === true || invalid === true || answered.has(id)) return []
      return [
        callBlock({
          id,
          name: textAt(toolName, `${place}.toolName`),
          args: argumentsOf(input, `${place}.input`),
          idPlace: `${place}.toolCallId`,
        }),
      ]
    })
  },

  /** Calls as parts of an assistant's message. A call without an id has an empty one there. */
  toCalls: (calls: readonly ToolCallBlock[]): AiSdkCall[] =>
    calls.map(({ callId, name, arguments: args }) => ({
      type: 'tool-call',
      toolCallId: callId ?? '',
      toolName: name,
      input: inputOf(args),
    })),

  /**
   * The parts that answer calls, in their order: the content of a message of the role `tool`.
   * @param calls - the calls that were executed, in the order of the results: the format wants their names, too.
   * @param options - `images`: see `AiSdkImages`.
   * @throws TypeError when there are not as many calls as results.
   */
  toResults<const O extends AiSdkResultOptions>(
    results: readonly ToolCallResult[],
    calls: readonly Pick<ToolCallBlock, 'name'>[],
    options?: O,
  ): AiSdkResult<ImagesOf<O>>[] {
    if (calls.length !== results.length) {
      throw new TypeError(
        `aiSdk.toResults() takes the calls that were executed, and there are ${calls.length} of them for ${results.length} results.`,
      )
    }
    const images: AiSdkImages = options?.images ?? 'image-data'
    return results.map(({ callId, result }, index) => ({
      type: 'tool-result',
      toolCallId: callId,
      toolName: calls[index]!.name,
      output: toOutput(result, images) as AiSdkOutput<ImagesOf<O>>,
    }))
  },

  /** The results of a message of the role `tool`, or of its content. @throws TypeError naming the place of what is malformed. */
  fromResults: (message: unknown): WireResult[] =>
    partsOf(message).flatMap(({ place, part }) => {
      if (part['type'] !== 'tool-result') return []
      const callId = textAt(part['toolCallId'], `${place}.toolCallId`)
      return [{ callId, ...fromOutput(objectAt(part['output'], `${place}.output`), `${place}.output`) }]
    }),
} as const

/** The parts of what a function of the SDK gave, of a message, or the parts themselves; a message of text alone has none. */
function partsOf(answer: unknown): { readonly place: string; readonly part: Wire }[] {
  if (Array.isArray(answer)) return partsAt(answer, '')
  const { content, toolCalls } = objectAt(answer, 'The answer')
  if (typeof content === 'string') return []
  return content === undefined && toolCalls !== undefined ? partsAt(toolCalls, 'toolCalls') : partsAt(content, 'content')
}

function partsAt(value: unknown, at: string) {
  return listAt(value, at).map((each, index) => ({ place: `${at}[${index}]`, part: objectAt(each, `${at}[${index}]`) }))
}

function isAnswer({ type }: Wire): boolean {
  return type === 'tool-result' || type === 'tool-error'
}

function toOutput({ content, isError }: ToolCallResult['result'], images: AiSdkImages): AiSdkOutput<AiSdkImages> {
  if (isError) return { type: 'error-text', value: textOfContent(content) }
  if (images === 'text' || !content.some(isImage)) return { type: 'text', value: textOfContent(content) }
  return { type: 'content', value: content.map((block) => toPart(block, images)) }
}

function toPart(block: ContentBlock, images: Exclude<AiSdkImages, 'text'>): AiSdkPart<AiSdkImages> {
  if (!isImage(block)) return { type: 'text', text: wordsFor(block) }
  const { data, mediaType } = block
  return images === 'file' ? { type: images, data: { type: 'data', data }, mediaType } : { type: images, data, mediaType }
}

function isImage(block: ContentBlock): block is Extract<ContentBlock, { readonly type: 'image' }> & { readonly data: string } {
  return block.type === 'image' && typeof block.data === 'string'
}

function fromOutput({ type, value, reason }: Wire, place: string): Omit<WireResult, 'callId'> {
  switch (type) {
    case 'content':
      return {
        isError: false,
        content: listAt(value, `${place}.value`).map((part, index) => fromPart(part, `${place}.value[${index}]`)),
      }
    case 'json':
    case 'error-json':
      return { isError: type === 'error-json', content: contentOfText(jsonOf(value, `${place}.value`)) }
    case 'execution-denied':
      return { isError: true, content: contentOfText(reason === undefined ? 'The call was denied.' : textAt(reason, `${place}.reason`)) }
    default:
      return { isError: type === 'error-text', content: contentOfText(textAt(value, `${place}.value`)) }
  }
}

function fromPart(value: unknown, place: string): ContentBlock {
  const part = objectAt(value, place)
  const { type, mediaType, data, url, filename } = part
  switch (type) {
    case 'text':
      return { type: 'text', text: textAt(part['text'], `${place}.text`) }
    case 'image-data':
    case 'media':
    case 'file-data':
      return blockOfBytes({ mediaType: textAt(mediaType, `${place}.mediaType`), data: textAt(data, `${place}.data`), name: filename })
    case 'image-url':
    case 'file-url':
      return { type: 'resource', uri: textAt(url, `${place}.url`) }
    case 'file':
      return fromFile(part, place)
    default:
      return notShown(type)
  }
}

/** A file of the SDK's version 7 says in which of several ways its data is given. */
function fromFile({ mediaType, data, filename }: Wire, place: string): ContentBlock {
  const { url, text, data: bytes } = objectAt(data, `${place}.data`)
  if (url !== undefined) return { type: 'resource', uri: String(url) } // a URL, or its text where a history was stored
  if (typeof text === 'string') return { type: 'text', text }
  if (typeof bytes !== 'string') return notShown('file')
  return blockOfBytes({ mediaType: textAt(mediaType, `${place}.mediaType`), data: bytes, name: filename })
}
