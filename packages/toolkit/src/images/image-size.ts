import { crc32 } from 'node:zlib'
import type { ImageType } from '../files/sniff.ts'
import { jpegSize } from './jpeg-size.ts'
import type { PixelSize } from './pixel-size.ts'

const READERS: Readonly<Record<ImageType, (bytes: Buffer) => PixelSize | undefined>> = {
  'image/png': pngSize,
  'image/jpeg': jpegSize,
  'image/gif': gifSize,
  'image/webp': webpSize,
}

/**
 * The size that the header of an image says. Its picture is not decoded, but has to be there to its end: of an animated GIF the first one.
 * @returns undefined for what no decoder would take: a header that is cut or broken, a picture without pixels, a file that ends too early.
 */
export function imageSizeOf(type: ImageType, bytes: Buffer): PixelSize | undefined {
  const size = READERS[type](bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

/** Chunks of length, type, data and checksum; IHDR is the first and IEND the last. */
function pngSize(bytes: Buffer): PixelSize | undefined {
  const headerEnd = 33
  if (bytes.length < headerEnd || bytes.readUInt32BE(8) !== 13 || nameAt(bytes, 12) !== 'IHDR') return undefined
  if (crc32(bytes.subarray(12, 29)) !== bytes.readUInt32BE(29)) return undefined
  for (let at = headerEnd; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (nameAt(bytes, at + 4) === 'IEND') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  }
  return undefined
}

/** Header, table of colours, then extensions and pictures, whose data are blocks that begin with their length. */
function gifSize(bytes: Buffer): PixelSize | undefined {
  const headerEnd = 13
  const [extension, picture] = [0x21, 0x2c]
  if (bytes.length < headerEnd) return undefined
  let at = headerEnd + colorTableBytes(bytes.readUInt8(10))
  while (bytes[at] === extension) at = endOfBlocks(bytes, at + 2)
  if (bytes[at] !== picture || at + 10 > bytes.length) return undefined
  const data = at + 11 + colorTableBytes(bytes.readUInt8(at + 9))
  return endOfBlocks(bytes, data) <= bytes.length ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : undefined
}

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0
}

/** Index behind the empty block that ends a row of blocks; infinite where none does. */
function endOfBlocks(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += 1 + bytes.readUInt8(at)) {
    if (bytes[at] === 0) return at + 1
  }
  return Number.POSITIVE_INFINITY
}

/** A RIFF file. Its first chunk is a picture, lossy or lossless, or the extended header that says how large the canvas is. */
function webpSize(bytes: Buffer): PixelSize | undefined {
  const data = 20
  if (bytes.length < data + 10 || bytes.length < bytes.readUInt32LE(4) + 8) return undefined
  switch (nameAt(bytes, 12)) {
    case 'VP8 ': {
      const isKeyFrame = (bytes.readUInt8(data) & 1) === 0 && bytes.readUIntBE(data + 3, 3) === 0x9d012a
      return isKeyFrame ? { width: bytes.readUInt16LE(data + 6) & 0x3fff, height: bytes.readUInt16LE(data + 8) & 0x3fff } : undefined
    }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(data + 1)
      return bytes[data] === 0x2f ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : undefined
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(data + 4, 3) + 1, height: bytes.readUIntLE(data + 7, 3) + 1 }
    default:
      return undefined
  }
}

function nameAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + 4)
}
