import type { FileHandle } from 'node:fs/promises'
import { type LineStart, nearestStart, noteStart } from './line-index.ts'

const CHUNK_BYTES = 262_144
const NEWLINE = 0x0a

/**
 * Find where a line of an ASCII-compatible file begins, by counting line breaks from the nearest start that is known, and
 * note starts on the way.
 * @returns the start of the last line when there are fewer.
 * @throws the signal's reason.
 */
export async function seekLine(
  handle: FileHandle,
  { first, starts, line }: { readonly first: LineStart; readonly starts: LineStart[]; readonly line: number },
  signal: AbortSignal,
): Promise<LineStart> {
  let found = nearestStart(starts, line) ?? first
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let position = found.offset; found.line < line; ) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position)
    if (bytesRead === 0) break
    const chunk = buffer.subarray(0, bytesRead)
    for (let at = chunk.indexOf(NEWLINE); at !== -1 && found.line < line; at = chunk.indexOf(NEWLINE, at + 1)) {
      found = { line: found.line + 1, offset: position + at + 1 }
      noteStart(starts, found)
    }
    position += bytesRead
  }
  return found
}
