import { ToolError } from '@dsh/tools'
import type { ImageKind } from '../files/sniff.ts'
import { imageSizeOf } from '../images/image-size.ts'
import { count } from '../text/count.ts'
import { printablePath } from '../text/printable-path.ts'
import type { FileSource } from './file-source.ts'
import type { ReadImageValue } from './image-value.ts'

/** What of an image can be shown. */
export interface ImageLimits {
  readonly maxBytes: number
  /** Pixels of the longer side. */
  readonly maxSide: number
}

/**
 * Read a whole image. What a model would refuse is refused here: in a history such an image would fail every request from then on.
 * @throws ToolError IMAGE_TOO_LARGE, INVALID_IMAGE; the signal's reason.
 */
export async function readImage(source: FileSource, path: string, kind: ImageKind, limits: ImageLimits): Promise<ReadImageValue> {
  const name = printablePath(path)
  const what = `${name} is ${kind.what} of`
  const bytes = await bytesOf(source, limits.maxBytes)
  if (bytes.length > limits.maxBytes) {
    const size = Math.max(bytes.length, Number(source.stats.size))
    throw tooLarge(`${what} ${count(size, 'byte')}, more than the ${count(limits.maxBytes, 'byte')}`)
  }
  const size = imageSizeOf(kind.image, bytes)
  if (size === undefined) {
    const message = `${name} begins like ${kind.what}, but is broken or cut off; it has ${count(bytes.length, 'byte')}. It cannot be shown: make the file anew.`
    throw new ToolError(message, { code: 'INVALID_IMAGE' })
  }
  if (Math.max(size.width, size.height) > limits.maxSide) {
    const { width, height } = size
    throw tooLarge(`${what} ${width} x ${height} pixels, more than the ${count(limits.maxSide, 'pixel')} a side`)
  }
  return { path, mediaType: kind.image, sizeBytes: bytes.length, ...size, data: bytes.toString('base64') }
}

function tooLarge(what: string): ToolError {
  return new ToolError(`${what} that can be shown. Make a smaller copy of it, and read that.`, { code: 'IMAGE_TOO_LARGE' })
}

/** All bytes of a file, or more than so many of them. */
async function bytesOf(source: FileSource, most: number): Promise<Buffer> {
  if (source.whole !== undefined) return source.whole
  const pieces: Buffer[] = []
  let position = 0
  while (position <= most) {
    const piece = await source.piece(position)
    if (piece.length === 0) break
    pieces.push(Buffer.from(piece)) // a copy: the source reads the next piece into the same memory
    position += piece.length
  }
  return Buffer.concat(pieces)
}
