import type { FileHandle } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { ToolError } from '@dsh/tools'
import { SNIFF_BYTES, sniff, type TextEncoding } from '../files/sniff.ts'
import { count } from '../text/count.ts'
import { printablePath } from '../text/printable-path.ts'
import type { LineIndex } from './line-index.ts'
import { LineWindow, type ReadLine, type WindowLimits } from './line-window.ts'
import { seekLine } from './seek-line.ts'

const CHUNK_BYTES = 65_536

/** Files up to this size are read to their end, so that all of their lines are counted. */
const WHOLE_BYTES = 8_388_608

/** A window of a text file. */
export interface FileWindow {
  readonly lines: readonly ReadLine[]
  /** Lines of the whole file; absent when a large file was not read to its end. */
  readonly totalLines?: number
  readonly encoding: TextEncoding
  /** Bytes of the whole file. */
  readonly sizeBytes: number
}

/**
 * Read a window of a file. A file up to 8 MiB is streamed to its end; a larger one to the end of the window, from the
 * nearest line whose place is known. The caller owns the handle.
 * @throws ToolError BINARY_FILE; the signal's reason.
 */
export async function readWindow(
  handle: FileHandle,
  path: string,
  { limits, index, signal }: { readonly limits: WindowLimits; readonly index: LineIndex; readonly signal: AbortSignal },
): Promise<FileWindow> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  const kind = sniff(buffer.subarray(0, await readStart(handle, buffer, signal)))
  if (kind.kind === 'binary') throw await binaryFailure(handle, path, kind.what)

  const stats = await handle.stat({ bigint: true })
  const isLarge = stats.size > WHOLE_BYTES
  const first = { line: 1, offset: kind.bomBytes }
  const canSeek = isLarge && kind.encoding === 'utf-8' // in UTF-16 the byte of a line break may be half of another character
  const start = canSeek ? await seekLine(handle, { first, starts: index.startsOf(stats), line: limits.offset }, signal) : first

  const window = new LineWindow(limits, start.line)
  const decoder = decoderFor(kind.encoding)
  let position = start.offset
  while (!(isLarge && window.isDone)) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position)
    if (bytesRead === 0) {
      window.push(decoder.end())
      window.end()
      return { lines: window.lines, totalLines: window.totalLines, encoding: kind.encoding, sizeBytes: position }
    }
    position += bytesRead
    window.push(decoder.write(buffer.subarray(0, bytesRead)))
  }
  return { lines: window.lines, encoding: kind.encoding, sizeBytes: Number(stats.size) }
}

/** Read until there is enough to tell what the file is; a single read may give less. */
async function readStart(handle: FileHandle, buffer: Buffer, signal: AbortSignal): Promise<number> {
  let filled = 0
  while (filled < SNIFF_BYTES) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, filled, SNIFF_BYTES - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

async function binaryFailure(handle: FileHandle, path: string, what: string): Promise<ToolError> {
  const { size } = await handle.stat()
  const message = `${printablePath(path)} is not text: it is ${what} of ${count(size, 'byte')}. Use a tool made for that kind of file.`
  return new ToolError(message, { code: 'BINARY_FILE' })
}

interface Decoder {
  write(bytes: Buffer): string
  end(): string
}

/** Broken bytes become U+FFFD. */
function decoderFor(encoding: TextEncoding): Decoder {
  if (encoding === 'utf-8') return new StringDecoder('utf8')
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() }
}
