import type { PixelSize } from './pixel-size.ts'

const SCAN = 0xda
const END = 0xd9

/** Walk the segments of a JPEG to its frame header. Like decoders it skips stray bytes between them. Undefined when there is none, or no end. */
export function jpegSize(bytes: Buffer): PixelSize | undefined {
  let at = bytes.indexOf(0xff, 2)
  while (at !== -1 && at + 9 <= bytes.length) {
    const marker = bytes.readUInt8(at + 1)
    const length = bytes.readUInt16BE(at + 2)
    if (isFrame(marker)) return bytes.lastIndexOf(Buffer.from([0xff, END])) > at ? frameSize(bytes, at) : undefined
    if (marker === SCAN || marker === END) return undefined
    if (marker === 0xff) at += 1
    else if (isAlone(marker)) at = bytes.indexOf(0xff, at + 2)
    else if (length < 2) return undefined
    else at = bytes.indexOf(0xff, at + 2 + length)
  }
  return undefined
}

function frameSize(bytes: Buffer, at: number): PixelSize {
  return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
}

/** SOF0 to SOF15; three numbers of that row are other segments. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** Markers that no length follows; 0x00 stands behind an 0xff that is data. */
function isAlone(marker: number): boolean {
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)
}
