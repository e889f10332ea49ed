import type { ToolCallBlock, ToolCallResult, ToolSchema } from '@dsh/tools'
import { expectTypeOf, test } from 'vitest'
import { aiSdk, anthropicMessages, openAiChat, openAiResponses } from './door.ts'

// What the SDKs' own types ask of what is handed to them: their documented fields, by hand, as strict as they are (mutable lists, closed unions).
type Json = { [key: string]: unknown }
interface ChatTool {
  type: 'function'
  function: { name: string; description?: string; parameters?: Json; strict?: boolean | null }
}
interface ChatCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}
interface ChatToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string | Array<{ type: 'text'; text: string }>
}
interface ResponsesTool {
  type: 'function'
  name: string
  parameters: Json | null
  strict: boolean | null
  description?: string | null
}
interface ResponsesCall {
  type: 'function_call'
  call_id: string
  name: string
  arguments: string
  id?: string
}
interface ResponsesOutput {
  type: 'function_call_output'
  call_id: string
  output:
    | string
    | Array<
        | { type: 'input_text'; text: string }
        | { type: 'input_image'; image_url?: string | null; detail?: 'low' | 'high' | 'auto' | null }
        | { type: 'input_file'; file_data?: string | null; filename?: string | null }
      >
}
interface MessagesTool {
  name: string
  description?: string
  input_schema: { type: 'object'; properties?: unknown; required?: Array<string> | null; [key: string]: unknown }
}
interface MessagesToolUse {
  type: 'tool_use'
  id: string
  name: string
  input: unknown
}
interface MessagesToolResult {
  type: 'tool_result'
  tool_use_id: string
  is_error?: boolean
  content?:
    | string
    | Array<
        | { type: 'text'; text: string }
        | {
            type: 'image'
            source:
              | { type: 'base64'; data: string; media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp' }
              | { type: 'url'; url: string }
          }
      >
}
declare const brand: unique symbol
interface SdkTool {
  description?: string
  inputSchema: { [brand]: true; _type: unknown; jsonSchema: Json } | (() => { [brand]: true })
  execute?: (input: unknown) => unknown
}
interface SdkCall {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
}
interface SdkResult<Picture> {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output:
    | { type: 'text' | 'error-text'; value: string }
    | { type: 'json' | 'error-json'; value: unknown }
    | { type: 'content'; value: Array<{ type: 'text'; text: string } | Picture> }
}
type Bytes<Type> = { type: Type; data: string; mediaType: string }
type Version5 = SdkResult<Bytes<'media'>>
type Version6 = SdkResult<Bytes<'media'> | Bytes<'image-data'>>
type Version7 = SdkResult<Bytes<'image-data'> | { type: 'file'; data: { type: 'data'; data: string }; mediaType: string }>

const schemas: readonly ToolSchema[] = []
const calls: readonly ToolCallBlock[] = []
const results: readonly ToolCallResult[] = []

test('what is made can be handed to the clients as it is', () => {
  expectTypeOf(openAiChat.toTools(schemas)).toExtend<ChatTool[]>()
  expectTypeOf(openAiChat.toCalls(calls)).toExtend<ChatCall[]>()
  expectTypeOf(openAiChat.toResults(results)).toExtend<ChatToolMessage[]>()
  expectTypeOf(openAiResponses.toTools(schemas)).toExtend<ResponsesTool[]>()
  expectTypeOf(openAiResponses.toCalls(calls)).toExtend<ResponsesCall[]>()
  expectTypeOf(openAiResponses.toResults(results)).toExtend<ResponsesOutput[]>()
  expectTypeOf(anthropicMessages.toTools(schemas)).toExtend<MessagesTool[]>()
  expectTypeOf(anthropicMessages.toCalls(calls)).toExtend<MessagesToolUse[]>()
  expectTypeOf(anthropicMessages.toResults(results)).toExtend<MessagesToolResult[]>()
  expectTypeOf(aiSdk.toTools(schemas)).toExtend<Record<string, SdkTool>>()
  expectTypeOf(aiSdk.toCalls(calls)).toExtend<SdkCall[]>()
})

test('results of the AI SDK are of the version that they were asked for', () => {
  expectTypeOf(aiSdk.toResults(results, calls)).toExtend<Version6[] & Version7[]>()
  expectTypeOf(aiSdk.toResults(results, calls, { images: 'media' })).toExtend<Version5[] & Version6[]>()
  expectTypeOf(aiSdk.toResults(results, calls, { images: 'file' })).toExtend<Version7[]>()
  expectTypeOf(aiSdk.toResults(results, calls, { images: 'text' })).toExtend<Version5[] & Version6[] & Version7[]>()
  const parts = () => {
    // @ts-expect-error: version 5 knows no `image-data`, and would refuse the message when it is sent
    const old: Version5[] = aiSdk.toResults(results, calls)
    return old
  }
  expectTypeOf(parts).returns.toBeArray()
})

test('every format is an object of the same functions', () => {
  const formats = [openAiChat, openAiResponses, anthropicMessages]
  expectTypeOf(formats[0]!.fromCalls).toEqualTypeOf<(answer: unknown) => ToolCallBlock[]>()
  expectTypeOf(aiSdk.fromCalls).toEqualTypeOf<(answer: unknown) => ToolCallBlock[]>()
})
