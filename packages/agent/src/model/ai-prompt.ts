import type { ContentBlock, ToolSchema } from '@dsh/tools'
import type { AssistantBlock, CallResultMessage, ModelMessage, ModelRequest } from '@dsh/tools/ports'
import { inputOf } from '../content/input-of.ts'
import { isPicture } from '../content/picture.ts'
import { wordsFor } from '../content/words-for.ts'
import type { AiSdkLanguageModel, AiSdkVersion } from './ai-sdk-model.ts'

/** How a model wants its prompt. */
export interface PromptDialect {
  readonly version: AiSdkVersion
  /** Results of calls may hold pictures. Where they may not, a picture would arrive as the text of its bytes. */
  readonly hasRichResults: boolean
}

/** What a model of the AI SDK is called with. */
export interface AiCallOptions {
  readonly prompt: AiMessage[]
  readonly tools?: AiTool[]
  readonly maxOutputTokens?: number
  readonly abortSignal: AbortSignal
}

type AiMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: AiPart[] }

type AiPart = Readonly<Record<string, unknown>> & { readonly type: string }

type AiTool = {
  readonly type: 'function'
  readonly name: string
  readonly description: string
  readonly inputSchema: ToolSchema['parameters']
}

/** How the packages of a provider are to be spoken to. */
export function dialectOf({ provider }: AiSdkLanguageModel, version: AiSdkVersion): PromptDialect {
  return { version, hasRichResults: /anthropic|responses|google|vertex|bedrock/i.test(provider) }
}

/** Make the call of a request. */
export function toAiCall(request: ModelRequest, dialect: PromptDialect, abortSignal: AbortSignal): AiCallOptions {
  const { system, messages, tools, maxOutputTokens } = request
  return {
    prompt: [...(system === undefined ? [] : [{ role: 'system', content: system } as const]), ...toAiMessages(messages, dialect)],
    ...(tools && tools.length > 0 && { tools: tools.map(toAiTool) }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    abortSignal,
  }
}

/** Messages that say nothing are left out, and those of a user that follow each other are one: some providers refuse the former, some the latter. */
function toAiMessages(messages: readonly ModelMessage[], dialect: PromptDialect): AiMessage[] {
  const all: Exclude<AiMessage, { role: 'system' }>[] = []
  for (const message of messages) {
    const content = contentOf(message, dialect)
    const last = all.at(-1)
    if (content.length === 0) continue
    if (message.role === 'user' && last?.role === 'user') last.content.push(...content)
    else all.push({ role: message.role, content })
  }
  return all
}

function contentOf(message: ModelMessage, dialect: PromptDialect): AiPart[] {
  switch (message.role) {
    case 'user':
      return message.content.map((block) => toUserPart(block, dialect)).filter(saysSomething)
    case 'assistant':
      return message.content.map(toAssistantPart).filter(saysSomething)
    case 'tool':
      return message.results.map((result) => toResultPart(result, dialect))
  }
}

function saysSomething({ type, text, providerOptions }: AiPart): boolean {
  return type !== 'text' || text !== '' || providerOptions !== undefined
}

function toUserPart(block: ContentBlock, { version }: PromptDialect): AiPart {
  const bytes = block.type === 'text' ? undefined : block.data
  if (block.type === 'text' || typeof bytes !== 'string') return { type: 'text', text: wordsFor(block) }
  const mediaType = block.mediaType ?? 'application/octet-stream'
  return { type: 'file', mediaType, data: version === 'v4' ? { type: 'data', data: bytes } : bytes }
}

function toAssistantPart(block: AssistantBlock): AiPart {
  const options = 'meta' in block && block.meta !== undefined ? { providerOptions: block.meta } : {}
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return { type: block.type, text: block.text, ...options }
    case 'tool-call':
      return { type: 'tool-call', toolCallId: block.callId, toolName: block.name, input: inputOf(block.arguments), ...options }
    default:
      return { type: 'text', text: wordsFor(block) } // what a model made is not a thing that it can be given back
  }
}

function toResultPart({ callId, name, isError, content }: CallResultMessage, dialect: PromptDialect): AiPart {
  const isRich = dialect.hasRichResults && !isError && content.some(isPicture)
  const output = isRich
    ? { type: 'content', value: content.map((block) => toRichPart(block, dialect)) }
    : { type: isError ? 'error-text' : 'text', value: content.map(wordsFor).join('\n') }
  return { type: 'tool-result', toolCallId: callId, toolName: name, output }
}

function toRichPart(block: ContentBlock, { version }: PromptDialect): AiPart {
  if (!isPicture(block)) return { type: 'text', text: wordsFor(block) }
  const { mediaType, data } = block
  return version === 'v4' ? { type: 'file', mediaType, data: { type: 'data', data } } : { type: 'image-data', mediaType, data }
}

function toAiTool({ name, description, parameters }: ToolSchema): AiTool {
  return { type: 'function', name, description, inputSchema: parameters }
}
