import type { FileHandle } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { ToolError } from '@dsh/tools'
import { count } from '../text/count.ts'
import { printablePath } from '../text/printable-path.ts'
import { LineWindow, type ReadLine, type WindowLimits } from './line-window.ts'
import { SNIFF_BYTES, sniff, type TextEncoding } from './sniff.ts'

const CHUNK_BYTES = 65_536

/** A window of a text file. */
export interface FileWindow {
  readonly lines: readonly ReadLine[]
  /** Lines of the whole file. */
  readonly totalLines: number
  readonly encoding: TextEncoding
  /** Bytes of the whole file, as read. */
  readonly sizeBytes: number
}

/**
 * Stream a file once, from its beginning to its end. The caller owns the handle.
 * @throws ToolError BINARY_FILE; the signal's reason.
 */
export async function readWindow(handle: FileHandle, path: string, limits: WindowLimits, signal: AbortSignal): Promise<FileWindow> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let bytes = await readStart(handle, buffer, signal)
  const kind = sniff(buffer.subarray(0, bytes))
  if (kind.kind === 'binary') throw await binaryFailure(handle, path, kind.what)

  const window = new LineWindow(limits)
  const decoder = decoderFor(kind.encoding)
  let sizeBytes = bytes
  window.push(decoder.write(buffer.subarray(kind.bomBytes, bytes)))
  while (bytes > 0) {
    signal.throwIfAborted()
    bytes = (await handle.read(buffer, 0, CHUNK_BYTES)).bytesRead
    sizeBytes += bytes
    window.push(decoder.write(buffer.subarray(0, bytes)))
  }
  window.push(decoder.end())
  window.end()
  return { lines: window.lines, totalLines: window.totalLines, encoding: kind.encoding, sizeBytes }
}

/** Read until there is enough to tell what the file is; a single read may give less. */
async function readStart(handle: FileHandle, buffer: Buffer, signal: AbortSignal): Promise<number> {
  let filled = 0
  while (filled < SNIFF_BYTES) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, filled, CHUNK_BYTES - filled)
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
