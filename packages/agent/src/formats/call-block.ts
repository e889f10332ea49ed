import { type ToolCallBlock, toToolCallId } from '@dsh/tools'
import { textAt } from './wire.ts'

/** What a format says of a call. `idPlace`: where its id stands. */
interface WireCall {
  readonly id: unknown
  readonly name: string
  readonly args: string
  readonly idPlace: string
}

/** A call of an answer. One whose id is missing, null or empty has none: the runtime gives it a fresh one. @throws TypeError when its id is no text. */
export function callBlock({ id, name, args, idPlace }: WireCall): ToolCallBlock {
  const callId = textAt(id ?? '', idPlace)
  return { type: 'tool-call', ...(callId !== '' && { callId: toToolCallId(callId) }), name, arguments: args }
}

/** Arguments as the text that the runtime reads. Text goes on untouched, be it JSON or not: the runtime refuses what is none. @throws TypeError when they cannot be JSON. */
export function argumentsOf(input: unknown, place: string): string {
  if (input === undefined) return ''
  return typeof input === 'string' ? input : jsonOf(input, place)
}

/** @throws TypeError naming the place of what cannot be JSON. */
export function jsonOf(value: unknown, place: string): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    throw new TypeError(`${place} must be JSON, and cannot be: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
  if (text === undefined) throw new TypeError(`${place} must be JSON, and is ${typeof value}.`)
  return text
}
