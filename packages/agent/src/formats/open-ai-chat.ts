import type { ContentBlock, ToolCallBlock, ToolCallResult, ToolSchema } from '@dsh/tools'
import { argumentsOf, callBlock } from './call-block.ts'
import { contentOfText, textOfContent } from './content-text.ts'
import { listAt, objectAt, textAt, type WireResult } from './wire.ts'

/** A tool, as chat completions declare it. */
export interface OpenAiChatTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: ToolSchema['parameters'] }
}

/** A call of an assistant's message. */
export interface OpenAiChatCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** The message that answers a call. */
export interface OpenAiChatResult {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly content: string
}

/** OpenAI chat completions, and everything that speaks like them. The format takes text alone, and does not say whether a call failed: our text does. */
export const openAiChat = {
  /** The tools of a request: `tools`. */
  toTools: (schemas: readonly ToolSchema[]): OpenAiChatTool[] =>
    schemas.map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } })),

  /**
   * The calls of a response (of its first choice), of a message, or of a list of `tool_calls`. Calls of tools that are no functions are left out.
   * @throws TypeError naming the place of what is malformed.
   */
  fromCalls: (answer: unknown): ToolCallBlock[] =>
    callsOf(answer).flatMap((each, index) => {
      const place = `tool_calls[${index}]`
      const { id, type, function: called } = objectAt(each, place)
      if (called === undefined && typeof type === 'string' && type !== 'function') return []
      const { name, arguments: args } = objectAt(called, `${place}.function`)
      return [
        callBlock({
          id,
          name: textAt(name, `${place}.function.name`),
          args: argumentsOf(args ?? '', `${place}.function.arguments`), // some servers parse them, and some leave them out
          idPlace: `${place}.id`,
        }),
      ]
    }),

  /** Calls for the `tool_calls` of an assistant's message. A call without an id has an empty one there. */
  toCalls: (calls: readonly ToolCallBlock[]): OpenAiChatCall[] =>
    calls.map(({ callId, name, arguments: args }) => ({ id: callId ?? '', type: 'function', function: { name, arguments: args } })),

  /** The messages that answer calls, in their order. */
  toResults: (results: readonly ToolCallResult[]): OpenAiChatResult[] =>
    results.map(({ callId, result }) => ({ role: 'tool', tool_call_id: callId, content: textOfContent(result.content) })),

  /** The results among messages, or of one. @throws TypeError naming the place of what is malformed. */
  fromResults: (messages: unknown): WireResult[] =>
    (Array.isArray(messages) ? messages : [objectAt(messages, 'The message')]).flatMap((each, index) => {
      const place = `messages[${index}]`
      const { role, content, tool_call_id: id } = objectAt(each, place)
      if (role !== 'tool') return []
      return [{ callId: textAt(id, `${place}.tool_call_id`), isError: false, content: contentOf(content, `${place}.content`) }]
    }),
} as const

/** The calls of a whole response, of a message, or the calls themselves. */
function callsOf(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer
  const { choices, ...message } = objectAt(answer, 'The answer')
  if (choices !== undefined)
    return callsOf(objectAt(objectAt(listAt(choices, 'choices')[0], 'choices[0]')['message'], 'choices[0].message'))
  return listAt(message['tool_calls'] ?? [], 'tool_calls')
}

function contentOf(content: unknown, place: string): ContentBlock[] {
  if (typeof content === 'string') return contentOfText(content)
  return listAt(content, place).map((part, index) => ({
    type: 'text',
    text: textAt(objectAt(part, `${place}[${index}]`)['text'], `${place}[${index}].text`),
  }))
}
