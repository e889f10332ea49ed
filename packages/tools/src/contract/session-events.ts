import type { ContentBlock, UserMessage } from './content.ts'
import type { JsonValue } from './json.ts'
import type { ToolEffects, ToolFailure } from './tool.ts'

// What an executor that logs writes to `agent.session`: types, not interfaces, because all of it is JSON.

/** `tool/call`: a call as the model made it, written before its policy. Its `seq` is its identity in the log. */
export type ToolCallEvent = {
  readonly turn: number
  readonly step: number
  readonly callId: string
  readonly name: string
  /** The text the model produced; null when it gave none. */
  readonly arguments: string | null
  /** Its card, as `presentCall` made it; absent when it has none or is over 64 KB. */
  readonly view?: JsonValue
}

/** `tool/start`: the body is about to begin. It is durable before a body with effects begins. */
export type ToolStartEvent = {
  /** The `seq` of its `tool/call`. */
  readonly call: number
  /** From 1 on; a retry, and a run after a crash, count on. */
  readonly attempt: number
  readonly effects: ToolEffects
  /** `digestOf` the definition that runs. */
  readonly definition: string
}

/** `tool/result`: what came of a call. The canonical value stays out. */
export type ToolResultEvent = {
  /** The `seq` of its `tool/call`. */
  readonly call: number
  readonly callId: string
  readonly isError: boolean
  readonly content: readonly ContentBlock[]
  readonly error?: ToolFailure
  readonly meta?: JsonValue
  /** Contexts accepted with it: the model reads them after the results of its step. */
  readonly contexts?: readonly UserMessage[]
  readonly concludesTurn?: true
  /** Its card, as `presentResult` made it; absent when it has none or is over 64 KB. */
  readonly view?: JsonValue
}
