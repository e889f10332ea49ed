import type { ToolCallBlock } from '../contract/executor.ts'
import type { JsonValue } from '../contract/json.ts'
import type { ToolFailure } from '../contract/tool.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { isJsonObject } from '../json/text.ts'
import { failure } from '../outcome/failures.ts'
import { thrownText } from '../outcome/thrown.ts'
import { lossyNumber, textPosition } from './number-literals.ts'

/** The arguments of a raw call, or why they are refused together with the text as it came. */
export type ParsedCall =
  | { readonly arguments: JsonValue; readonly refusal?: never }
  | { readonly arguments: JsonValue; readonly refusal: ToolFailure }

/**
 * Parse the text a model gave as arguments. Blank text is `{}`. Nothing is ever repaired: text that is not JSON, is no
 * object, or holds a number that JSON.parse would change, is refused with its position.
 */
export function parseCall(call: Pick<ToolCallBlock, 'name' | 'arguments'>): ParsedCall {
  const { name, arguments: text } = call
  const refuse = (detail: string): ParsedCall => ({
    arguments: typeof text === 'string' ? text : null,
    refusal: failure('INVALID_ARGS', name, detail),
  })
  if (typeof text !== 'string') return refuse('They must be the JSON text that the model produced.')
  if (text.trim() === '') return { arguments: EMPTY }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return refuse(syntaxDetail(text, thrownText(error)))
  }
  if (!isJsonObject(value as JsonValue)) return refuse(`They must be one JSON object, and are ${rootKind(value)}.`)
  const lossy = lossyNumber(text)
  if (lossy) {
    const at = textPosition(text, lossy.offset)
    return refuse(`The number ${lossy.literal} at ${at} cannot be held exactly. Send it as a string if the tool takes one.`)
  }
  return { arguments: snapshotJson(value) }
}

const EMPTY = snapshotJson({})

function syntaxDetail(text: string, message: string): string {
  const offset = /position (\d+)/.exec(message)?.[1]
  const end = text.trimEnd().length
  const at = offset === undefined ? (/end of JSON|Unterminated|Expected .* end/i.test(message) ? end : undefined) : Number(offset)
  const what = message.replace(/ in JSON at position.*$| \(line \d+ column \d+\)$/s, '').slice(0, 200)
  const where = at === undefined ? '' : ` at ${textPosition(text, at)}`
  const ended = at !== undefined && at >= end ? ' The text ends too early: it may have been cut off.' : ''
  return `They are not JSON: ${what}${where}.${ended} Send one complete JSON object and nothing else.`
}

function rootKind(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
