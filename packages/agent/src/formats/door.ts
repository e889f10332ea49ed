/** `@dsh/agent/formats`: tool declarations, calls and results of other clients' wire formats, to and from ours. */
export { type AiSdkCall, type AiSdkImages, type AiSdkResult, type AiSdkTool, aiSdk } from './ai-sdk.ts'
export { type AnthropicCall, type AnthropicResult, type AnthropicTool, anthropicMessages } from './anthropic-messages.ts'
export { type OpenAiChatCall, type OpenAiChatResult, type OpenAiChatTool, openAiChat } from './open-ai-chat.ts'
export { type OpenAiResponsesCall, type OpenAiResponsesResult, type OpenAiResponsesTool, openAiResponses } from './open-ai-responses.ts'
export type { WireResult } from './wire.ts'
