import { type ToolCallBlock, toToolCallId } from '@dsh/tools'
import { decodeText } from '../text/decode.ts'
import { rawMember } from './raw-member.ts'

/** One line of a batch file: a call, or why it is none. */
export type BatchLine = { readonly line: number; readonly call: ToolCallBlock } | { readonly line: number; readonly problem: string }

/** Read JSON Lines of calls. Blank lines are skipped; a broken one is named and stops no other. */
export function parseBatch(bytes: Buffer): BatchLine[] {
  const lines: BatchLine[] = []
  let line = 0
  for (const [start, end] of lineRanges(bytes)) {
    line++
    const text = decodeText(bytes.subarray(start, end), { stripBom: line === 1 })
    if (text === undefined) lines.push({ line, problem: 'it is not UTF-8 text' })
    else if (text.trim() !== '') lines.push(parseLine(text, line))
  }
  return lines
}

function* lineRanges(bytes: Buffer): Generator<readonly [number, number]> {
  let start = 0
  while (start <= bytes.length) {
    const end = bytes.indexOf(0x0a, start)
    yield [start, end === -1 ? bytes.length : end]
    if (end === -1) return
    start = end + 1
  }
}

function parseLine(text: string, line: number): BatchLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { line, problem: `it is not JSON (${(error as Error).message})` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, problem: 'it must be an object: { "name", "arguments", "callId"? }' }
  }
  const { type = 'tool-call', name, arguments: args, callId, ...rest } = value as Record<string, unknown>
  if (type !== 'tool-call') return { line, problem: 'its "type" must be "tool-call", or left out' }
  if (typeof name !== 'string' || name === '') return { line, problem: 'it has no "name" of a tool' }
  if (callId !== undefined && (typeof callId !== 'string' || callId === ''))
    return { line, problem: 'its "callId" must be a non-empty text' }
  const unknown = Object.keys(rest)
  if (unknown.length > 0) return { line, problem: `it has the unknown field ${JSON.stringify(unknown[0])}: use name, arguments and callId` }
  // Objects are handed on as they stand, not as JSON.parse read them: the runtime is to see a number that cannot be held.
  const raw = typeof args === 'string' ? args : (rawMember(text, 'arguments') ?? '')
  return { line, call: { type: 'tool-call', name, arguments: raw, ...(callId !== undefined && { callId: toToolCallId(callId) }) } }
}
