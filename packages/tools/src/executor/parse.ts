import type { ToolCallBlock } from '../contract/executor.ts'
import type { JsonValue } from '../contract/json.ts'
import type { ToolFailure } from '../contract/tool.ts'
import { adoptJson, snapshotJson } from '../json/snapshot.ts'
import { excerpt, isJsonObject } from '../json/text.ts'
import { failure } from '../outcome/failures.ts'
import { findSyntaxProblem } from './json-syntax.ts'
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
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    return refuse(syntaxDetail(text)) // engines differ in what they say, and some say no position
  }
  if (!isJsonObject(value)) return refuse(`They must be one JSON object, and are ${rootKind(value)}.`)
  const lossy = lossyNumber(text)
  if (lossy) {
    const at = textPosition(text, lossy.offset)
    return refuse(`The number ${lossy.literal} at ${at} cannot be held exactly. Send it as a string if the tool takes one.`)
  }
  return { arguments: adoptJson(value) }
}

const EMPTY = snapshotJson({})

function syntaxDetail(text: string): string {
  const { offset, expected } = findSyntaxProblem(text) ?? { offset: 0, expected: 'JSON' }
  const ended = offset >= text.trimEnd().length
  const what = ended ? 'the text ends' : `there is ${JSON.stringify(excerpt(text.slice(offset, offset + 20), 12))}`
  const cut = ended ? ' It may have been cut off.' : ''
  return `They are not JSON: at ${textPosition(text, offset)} ${what} where ${expected} is expected.${cut} Send one complete JSON object and nothing else.`
}

function rootKind(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
