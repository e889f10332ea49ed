import { StringDecoder } from 'node:string_decoder'
import { type JsonValue, ToolError } from '@dsh/tools'
import type { KeptResult } from '@dsh/tools/ports'
import { LineWindow } from '../read/line-window.ts'
import { kindOf, parseQuery, runQuery, whereItEnds } from './json-query.ts'
import type { FoundValue, ReadResultValue } from './read-result-value.ts'

/** Lines, matches or values of one answer. */
export const MAX_ITEMS = 1_000
/** With numbers, marks and the last line an answer stays below 50,000 bytes, and so is never kept itself. */
export const MAX_BYTES = 36_000
const MAX_LINE_CHARS = 2_000
/** Three bytes a character at most. */
const MAX_ONE_LINE_CHARS = MAX_BYTES / 3
/** A text without a value is parsed for a query up to this size. */
const MAX_PARSED_BYTES = 64 * 1024 * 1024

/** What part is asked for. */
export interface PartAsked {
  readonly offset: number
  readonly limit: number
}

type Found = Pick<ReadResultValue, 'lines' | 'matches' | 'values' | 'total' | 'nextOffset' | 'missing'>

/** Lines of the text, each from a column on. One line alone is shown longer. The text streams by: memory is bounded. */
export async function readLines(kept: KeptResult, asked: PartAsked & { readonly column: number }, signal: AbortSignal): Promise<Found> {
  const maxLineChars = asked.limit === 1 ? MAX_ONE_LINE_CHARS : MAX_LINE_CHARS
  const window = new LineWindow({ offset: asked.offset, maxLines: asked.limit, maxLineChars, maxBytes: MAX_BYTES })
  const decoder = new StringDecoder('utf8')
  const skip = columnSkipper(asked.column)
  for await (const chunk of kept.text()) {
    signal.throwIfAborted()
    window.push(skip(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))))
  }
  window.push(skip(decoder.end()))
  window.end()
  const next = asked.offset + window.lines.length
  return { lines: window.lines, total: window.totalLines, ...(next <= window.totalLines && { nextOffset: next }) }
}

/** Takes away what stands before a column, line by line; never half a surrogate pair. */
function columnSkipper(column: number): (text: string) => string {
  if (column === 1) return (text) => text
  let left = column - 1
  return (text) => {
    let kept = ''
    for (let at = 0; at < text.length; ) {
      const lineEnd = text.indexOf('\n', at)
      const end = lineEnd === -1 ? text.length : lineEnd
      const from = Math.min(end, at + left)
      left -= from - at
      kept += text.slice(isLowSurrogate(text, from) ? from + 1 : from, end)
      if (lineEnd !== -1) {
        kept += '\n'
        left = column - 1
      }
      at = end + 1
    }
    return kept
  }
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff
}

/** What a query finds in the value. @throws ToolError INVALID_QUERY, NOT_JSON. */
export async function queryValue(kept: KeptResult, asked: PartAsked & { readonly query: string }): Promise<Found> {
  const steps = parseQuery(asked.query)
  const root = kept.hasValue ? await kept.value() : await parsedText(kept)
  const values: FoundValue[] = []
  let total = 0
  let bytes = 0
  let full = false
  for (const { path, value } of runQuery(root, steps)) {
    total++
    if (total < asked.offset || values.length === asked.limit || full) continue
    const size = Buffer.byteLength(JSON.stringify(value)) + 1
    if (size > MAX_BYTES) {
      const tooLong = `${kindOf(value)}, ${size - 1} bytes of JSON`
      bytes += Buffer.byteLength(path + tooLong) + 100
      values.push({ path, tooLong })
    } else {
      bytes += size
      if (bytes <= MAX_BYTES) values.push({ path, value })
    }
    full = bytes > MAX_BYTES
  }
  const next = asked.offset + values.length
  return { values, total, ...(next <= total && { nextOffset: next }), ...(total === 0 && { missing: whereItEnds(root, steps) }) }
}

async function parsedText(kept: KeptResult): Promise<JsonValue> {
  const refuse = (why: string, cause?: unknown) =>
    new ToolError(
      `This result is a text ${why}, so it has no parts to query. Use pattern to search it, or offset and limit to read lines.`,
      {
        code: 'NOT_JSON',
        cause,
      },
    )
  if (kept.bytes > MAX_PARSED_BYTES) throw refuse(`of ${kept.bytes} bytes, too long to parse`)
  const chunks: Uint8Array[] = []
  for await (const chunk of kept.text()) chunks.push(chunk)
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch (cause) {
    throw refuse('that is not JSON', cause)
  }
}
