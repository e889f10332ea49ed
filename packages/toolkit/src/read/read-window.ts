import { StringDecoder } from 'node:string_decoder'
import { ToolError } from '@dsh/tools'
import type { TextEncoding } from '../files/sniff.ts'
import { count } from '../text/count.ts'
import { printablePath } from '../text/printable-path.ts'
import type { FileSource } from './file-source.ts'
import type { LineIndex } from './line-index.ts'
import { LineWindow, type WindowLimits } from './line-window.ts'
import type { ReadLine } from './read-line.ts'
import { seekLine } from './seek-line.ts'

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
 * Read a window of a file: of one up to 8 MiB counting all of its lines; of a larger one to the end of the window, from the
 * nearest line whose place is known.
 * @throws ToolError BINARY_FILE; the signal's reason.
 */
export async function readWindow(
  source: FileSource,
  path: string,
  { limits, index, signal }: { readonly limits: WindowLimits; readonly index: LineIndex; readonly signal: AbortSignal },
): Promise<FileWindow> {
  const { kind, stats, whole } = source
  const size = whole?.length ?? Number(stats.size)
  if (kind.kind === 'binary') throw binaryFailure(path, kind.what, size)

  const { encoding, bomBytes } = kind
  const first = { line: 1, offset: bomBytes }
  const canSeek = whole === undefined && encoding === 'utf-8' // in UTF-16 the byte of a line break may be half of another character
  const start = canSeek ? await seekLine(source.handle, { first, starts: index.startsOf(stats), line: limits.offset }, signal) : first

  const window = new LineWindow(limits, start.line)
  const decoder = decoderFor(encoding)
  let position = start.offset
  while (whole !== undefined || !window.isDone) {
    const piece = await source.piece(position)
    if (piece.length === 0) {
      window.push(decoder.end())
      window.end()
      return { lines: window.lines, totalLines: window.totalLines, encoding, sizeBytes: position }
    }
    position += piece.length
    window.push(decoder.write(piece))
  }
  return { lines: window.lines, encoding, sizeBytes: size }
}

function binaryFailure(path: string, what: string, size: number): ToolError {
  const message = `${printablePath(path)} is not text: it is ${what} of ${count(size, 'byte')}. Use a tool made for that kind of file: read shows text, and images that are PNG, JPEG, GIF or WebP.`
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
