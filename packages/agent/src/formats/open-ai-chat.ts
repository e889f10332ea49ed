import type { ToolCallBlock, ToolCallResult, ToolSchema } from '@dsh/tools'
import { callBlock, contentOfText, listAt, objectAt, textAt, textOfContent, type Wire, type WireResult } from './wire.ts'

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

  /** The calls of a response, or of its message. Calls of custom tools are left out. @throws TypeError naming the place of what is none. */
  fromCalls(answer: unknown): ToolCallBlock[] {
    const message = messageOf(objectAt(answer, 'The answer'))
    const calls = message['tool_calls']
    if (calls === undefined || calls === null) return []
    return listAt(calls, 'tool_calls').flatMap((each, index) => {
      const place = `tool_calls[${index}]`
      const call = objectAt(each, place)
      if (call['type'] === 'custom') return []
      const { name, arguments: args } = objectAt(call['function'], `${place}.function`)
      return [
        callBlock({
          id: call['id'],
          name: textAt(name, `${place}.function.name`),
          args: textAt(args ?? '', `${place}.function.arguments`),
        }),
      ]
    })
  },

  /** Calls for the `tool_calls` of an assistant's message. */
  toCalls: (calls: readonly ToolCallBlock[]): OpenAiChatCall[] =>
    calls.map(({ callId, name, arguments: args }) => ({ id: callId ?? '', type: 'function', function: { name, arguments: args } })),

  /** The messages that answer calls, in their order. */
  toResults: (results: readonly ToolCallResult[]): OpenAiChatResult[] =>
    results.map(({ callId, result }) => ({ role: 'tool', tool_call_id: callId, content: textOfContent(result.content) })),

  /** The results among messages. @throws TypeError naming the place of what is none. */
  fromResults: (messages: unknown): WireResult[] =>
    listAt(messages, 'The messages').flatMap((each, index) => {
      const message = objectAt(each, `[${index}]`)
      if (message['role'] !== 'tool') return []
      const { content, tool_call_id: id } = message
      const text = Array.isArray(content)
        ? content.map((part) => textAt(objectAt(part, `[${index}].content`)['text'], `[${index}].content.text`)).join('\n')
        : content
      return [{ callId: textAt(id, `[${index}].tool_call_id`), isError: false, content: contentOfText(textAt(text, `[${index}].content`)) }]
    }),
} as const

/** The message of a whole response, or the message itself. */
function messageOf(answer: Wire): Wire {
  if (answer['choices'] === undefined) return answer
  const choice = objectAt(listAt(answer['choices'], 'choices')[0], 'choices[0]')
  return objectAt(choice['message'], 'choices[0].message')
}
