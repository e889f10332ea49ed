import type { ContentBlock, JsonValue, ToolCallBlock } from '@dsh/tools'
import { toToolCallId } from '@dsh/tools'
import { wordsFor } from '../content/words-for.ts'

/** An object as a client or a provider gives it: of any shape. */
export type Wire = Readonly<Record<string, unknown>>

/** The result of a call as it is read back from a wire format. */
export interface WireResult {
  readonly callId: string
  /** False where the format cannot say it. */
  readonly isError: boolean
  readonly content: readonly ContentBlock[]
}

/** @throws TypeError naming the place. */
export function objectAt(value: unknown, place: string): Wire {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Wire
  throw new TypeError(`${place} must be an object, and is ${nameOf(value)}.`)
}

/** @throws TypeError naming the place. */
export function listAt(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new TypeError(`${place} must be a list, and is ${nameOf(value)}.`)
}

/** @throws TypeError naming the place. */
export function textAt(value: unknown, place: string): string {
  if (typeof value === 'string') return value
  throw new TypeError(`${place} must be a text, and is ${nameOf(value)}.`)
}

/** A call of an answer. One without an id, or with an empty one, gets a fresh one from the runtime. */
export function callBlock(call: { readonly id: unknown; readonly name: string; readonly args: string }): ToolCallBlock {
  const { id, name, args } = call
  return { type: 'tool-call', ...(typeof id === 'string' && id !== '' && { callId: toToolCallId(id) }), name, arguments: args }
}

/** Arguments that came as a value, as the text that the runtime reads. */
export function textOfInput(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {})
}

/** Arguments for a format that wants an object. What is none was refused by the runtime, and its result says so. */
export function inputOf(text: string): { readonly [name: string]: JsonValue } {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as { readonly [name: string]: JsonValue }) : {}
  } catch {
    return {}
  }
}

/** Content as the one text that a format takes. What is no text is named, with its kind and size. */
export function textOfContent(content: readonly ContentBlock[]): string {
  return content.map(wordsFor).join('\n')
}

/** Text as content; nothing for an empty one. */
export function contentOfText(text: string): readonly ContentBlock[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

function nameOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
}
