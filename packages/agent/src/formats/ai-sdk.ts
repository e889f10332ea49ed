import type { ContentBlock, JsonValue, ToolCallBlock, ToolCallResult, ToolSchema } from '@dsh/tools'
import { wordsFor } from '../content/words-for.ts'
import {
  callBlock,
  contentOfText,
  inputOf,
  listAt,
  objectAt,
  textAt,
  textOfContent,
  textOfInput,
  type Wire,
  type WireResult,
} from './wire.ts'

/** A tool without a body, for the `tools` of `generateText` and `streamText`: its calls come back to the caller. */
export interface AiSdkTool {
  readonly description: string
  readonly inputSchema: AiSdkSchema
}

/** A schema as `jsonSchema()` of the AI SDK makes it: what is sent, and no validation, which is the runtime's. */
export interface AiSdkSchema {
  readonly jsonSchema: ToolSchema['parameters']
  readonly validate: undefined
}

/** A call in an assistant's message. */
export interface AiSdkCall {
  readonly type: 'tool-call'
  readonly toolCallId: string
  readonly toolName: string
  readonly input: { readonly [name: string]: JsonValue }
}

/** What came of a call. */
export type AiSdkOutput =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'error-text'; readonly value: string }
  | { readonly type: 'content'; readonly value: AiSdkPart[] }

/** A part of a result that holds more than text. */
export type AiSdkPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image-data'; readonly data: string; readonly mediaType: string }

/** A result in a message of the role `tool`. */
export interface AiSdkResult {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName: string
  readonly output: AiSdkOutput
}

/** A call and its name: the format wants the name with the result, too. */
export type NamedCall = Pick<ToolCallBlock, 'callId' | 'name'>

const SCHEMA = Symbol.for('vercel.ai.schema')

/** The messages of the AI SDK (`ai` 5 and later). */
export const aiSdk = {
  /** The tools of a request, by name. They have no `execute`: the SDK hands their calls to its caller. */
  toTools: (schemas: readonly ToolSchema[]): Record<string, AiSdkTool> =>
    Object.fromEntries(
      schemas.map(({ name, description, parameters }) => [
        name,
        { description, inputSchema: { [SCHEMA]: true, jsonSchema: parameters, validate: undefined } },
      ]),
    ),

  /**
   * The calls of a result of `generateText` (its `toolCalls`), or of a message or its content. Those that the provider or the SDK runs are left out.
   * @throws TypeError naming the place of what is none.
   */
  fromCalls: (answer: unknown): ToolCallBlock[] =>
    partsOf(answer, 'toolCalls').flatMap(({ place, part }) => {
      if (part['type'] !== 'tool-call' || part['providerExecuted'] === true) return []
      return [callBlock({ id: part['toolCallId'], name: textAt(part['toolName'], `${place}.toolName`), args: textOfInput(part['input']) })]
    }),

  /** Calls as parts of an assistant's message. */
  toCalls: (calls: readonly ToolCallBlock[]): AiSdkCall[] =>
    calls.map(({ callId, name, arguments: args }) => ({
      type: 'tool-call',
      toolCallId: callId ?? '',
      toolName: name,
      input: inputOf(args),
    })),

  /** The parts that answer calls, in their order: the content of a message of the role `tool`. `calls`: those that were executed. */
  toResults: (results: readonly ToolCallResult[], calls: readonly NamedCall[]): AiSdkResult[] =>
    results.map(({ callId, result: { content, isError } }, index) => ({
      type: 'tool-result',
      toolCallId: callId,
      toolName: calls[index]?.name ?? '',
      output: toOutput(content, isError),
    })),

  /** The results of a message of the role `tool`, or of its content. @throws TypeError naming the place of what is none. */
  fromResults: (message: unknown): WireResult[] =>
    partsOf(message, 'toolResults').flatMap(({ place, part }) => {
      if (part['type'] !== 'tool-result') return []
      const output = objectAt(part['output'], `${place}.output`)
      const isError = String(output['type']).startsWith('error')
      return [{ callId: textAt(part['toolCallId'], `${place}.toolCallId`), isError, content: fromOutput(output, `${place}.output`) }]
    }),
} as const

/** The parts of what a function of the SDK gave, of a message, or the parts themselves; a message of text alone has none. */
function partsOf(answer: unknown, list: 'toolCalls' | 'toolResults'): { readonly place: string; readonly part: Wire }[] {
  const parts = Array.isArray(answer) ? answer : (objectAt(answer, 'The answer')[list] ?? objectAt(answer, 'The answer')['content'])
  if (typeof parts === 'string') return []
  return listAt(parts, 'content').map((each, index) => ({ place: `content[${index}]`, part: objectAt(each, `content[${index}]`) }))
}

function toOutput(content: readonly ContentBlock[], isError: boolean): AiSdkOutput {
  if (isError) return { type: 'error-text', value: textOfContent(content) }
  const hasPicture = content.some((block) => block.type === 'image' && typeof block.data === 'string')
  return hasPicture ? { type: 'content', value: content.map(toPart) } : { type: 'text', value: textOfContent(content) }
}

function toPart(block: ContentBlock): AiSdkPart {
  if (block.type !== 'image' || typeof block.data !== 'string') return { type: 'text', text: wordsFor(block) }
  return { type: 'image-data', data: block.data, mediaType: block.mediaType }
}

function fromOutput(output: Wire, place: string): readonly ContentBlock[] {
  const { type, value, reason } = output
  if (type === 'content') return listAt(value, `${place}.value`).map((part, index) => fromPart(part, `${place}.value[${index}]`))
  if (type === 'json' || type === 'error-json') return contentOfText(JSON.stringify(value))
  return contentOfText(textAt(value ?? reason ?? '', `${place}.value`))
}

function fromPart(value: unknown, place: string): ContentBlock {
  const part = objectAt(value, place)
  const { data, mediaType } = part
  if (part['type'] !== 'image-data' && part['type'] !== 'media') return { type: 'text', text: textAt(part['text'], `${place}.text`) }
  return { type: 'image', mediaType: textAt(mediaType, `${place}.mediaType`), data: textAt(data, `${place}.data`) }
}
