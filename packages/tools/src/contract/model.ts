import type { ContentBlock, TextBlock } from './content.ts'
import type { JsonValue } from './json.ts'
import type { ModelSelection, ToolSchema } from './tool.ts'

// What a model said lies in session logs: types, not interfaces, because all of it is JSON.

/** Text a model said. `meta` is what its provider wants back with it, as it gave it. */
export type SpokenBlock = TextBlock & { readonly meta?: JsonValue }

/** What a model thought before it spoke. Providers that sign it (`meta`) demand it back. */
export type ReasoningBlock = {
  readonly type: 'reasoning'
  readonly text: string
  readonly meta?: JsonValue
}

/** A tool call as a model made it. */
export type RequestedCall = {
  readonly type: 'tool-call'
  readonly callId: string
  readonly name: string
  /** The text the model produced. */
  readonly arguments: string
  readonly meta?: JsonValue
}

/** One block of a model's answer, in its order. */
export type AssistantBlock = SpokenBlock | Exclude<ContentBlock, TextBlock> | ReasoningBlock | RequestedCall

/** What a model reads of one call. */
export type CallResultMessage = {
  readonly callId: string
  readonly name: string
  readonly isError: boolean
  readonly content: readonly ContentBlock[]
}

/** One message of what a model is given. */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: readonly ContentBlock[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] }
  /** One result for each call of the assistant's message before it, in its order. */
  | { readonly role: 'tool'; readonly results: readonly CallResultMessage[] }

/** One request to a model. */
export interface ModelRequest {
  readonly system?: string
  readonly messages: readonly ModelMessage[]
  readonly tools?: readonly ToolSchema[]
  readonly maxOutputTokens?: number
}

/** What a request cost, in tokens. What a provider does not tell is absent. */
export type ModelUsage = {
  readonly inputTokens?: number
  /** Of these, read from the provider's cache. */
  readonly cachedInputTokens?: number
  readonly outputTokens?: number
  /** Of these, spent on reasoning. */
  readonly reasoningTokens?: number
}

/** Why an answer ended. */
export type ModelFinishReason = 'stop' | 'tool-calls' | 'length' | 'refused' | 'other'

/**
 * One piece of an answer. Text and reasoning come in pieces, which are joined while their `block` is the same (absent: while the kind is);
 * a piece may be empty and only bring the `meta` of its block. A call comes whole; its deltas are for those who watch.
 */
export type ModelEvent =
  | { readonly kind: 'text'; readonly text: string; readonly block?: string; readonly meta?: JsonValue }
  | { readonly kind: 'reasoning'; readonly text: string; readonly block?: string; readonly meta?: JsonValue }
  | { readonly kind: 'tool-call-delta'; readonly block: string; readonly name?: string; readonly text: string }
  | { readonly kind: 'tool-call'; readonly call: RequestedCall }
  /** Anything else a model made: a picture. */
  | { readonly kind: 'content'; readonly content: Exclude<ContentBlock, TextBlock> }
  | { readonly kind: 'usage'; readonly usage: ModelUsage }
  /** The last one, and the sign that the answer is whole. */
  | { readonly kind: 'finish'; readonly reason: ModelFinishReason }

/** Port `model`: one request to a model. */
export interface ModelService {
  /** Which model it is. */
  readonly selection?: ModelSelection
  /**
   * Ask, and give the answer piece by piece. It ends with `finish`; a stream that ends without one, or throws, is broken, and none of its
   * calls is run. When the signal fires it ends or throws soon, and holds nothing open.
   * @throws when the model cannot be asked, or breaks off. `isModelError` of `@dsh/agent` says which errors are worth another try.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}
