import type { FileHandle } from 'node:fs/promises'
import { type CutText, cutAround, cutSides } from '../text/cut.ts'
import { locate } from '../workspace/locate.ts'
import { openRegularFile } from '../workspace/open-regular-file.ts'
import type { FarMatch } from './match-record.ts'

const BYTES_A_CHAR = 3

/**
 * Read the surroundings of a match from its file.
 * @returns undefined when they are not there: the file changed meanwhile, or is not UTF-8, so that the offsets lead elsewhere.
 */
export async function readSurroundings(root: string, path: string, far: FarMatch, maxChars: number): Promise<CutText | undefined> {
  try {
    const handle = await openRegularFile(await locate(root, path))
    try {
      return await surroundings(handle, far, maxChars)
    } finally {
      await handle.close()
    }
  } catch {
    return undefined // gone or replaced since the search: the match itself is still shown
  }
}

async function surroundings(handle: FileHandle, far: FarMatch, maxChars: number): Promise<CutText | undefined> {
  const reach = maxChars * BYTES_A_CHAR
  const from = Math.max(far.lineOffset, far.matchOffset - reach)
  const buffer = Buffer.alloc(far.matchOffset - from + reach)
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, from)
  const border = far.matchOffset - from
  const before = withoutBrokenStart(buffer.subarray(0, border), from > far.lineOffset).toString()
  const rest = buffer.subarray(border, bytesRead).toString()
  if (!rest.startsWith(far.head)) return undefined
  const lineEnd = rest.search(/\r?\n/)
  const after = lineEnd === -1 ? rest : rest.slice(0, lineEnd)
  const shown = cutAround(before + after, { start: before.length, length: far.head.length }, maxChars)
  const startIsCut = from > far.lineOffset || shown.cut === 'start' || shown.cut === 'both'
  const endIsCut = (lineEnd === -1 && bytesRead === buffer.length) || shown.cut === 'end' || shown.cut === 'both'
  const cut = cutSides(startIsCut, endIsCut)
  return { text: shown.text, ...(cut === undefined ? {} : { cut }) }
}

/** Drop the rest of a character whose beginning was not read. */
function withoutBrokenStart(bytes: Buffer, mayBeBroken: boolean): Buffer {
  let start = 0
  while (mayBeBroken && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}
