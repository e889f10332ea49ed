import { crc32, deflateSync } from 'node:zlib'

/** Real images, made from their bytes: what a decoder would take, with a size of the test's choice. */

const u16be = (value: number) => Buffer.from([value >> 8, value & 0xff])
const u16le = (value: number) => Buffer.from([value & 0xff, value >> 8])
const u24le = (value: number) => Buffer.from([value & 0xff, (value >> 8) & 0xff, value >> 16])
const ascii = (text: string) => Buffer.from(text, 'latin1')

function u32be(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function u32le(value: number): Buffer {
  return u32be(value).reverse()
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([ascii(type), data])
  return Buffer.concat([u32be(data.length), body, u32be(crc32(body))])
}

/** A black picture. @param padding - bytes of a chunk that decoders skip. */
export function png(width: number, height: number, padding = 0): Buffer {
  const header = Buffer.concat([u32be(width), u32be(height), Buffer.from([1, 0, 0, 0, 0])])
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...(padding > 0 ? [pngChunk('prIv', Buffer.alloc(padding, 7))] : []),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** @param before - segments between the start and the frame header. */
export function jpeg(width: number, height: number, before: readonly Buffer[] = [], frame = 0xc0): Buffer {
  const header = Buffer.concat([Buffer.from([8]), u16be(height), u16be(width), Buffer.from([1, 1, 0x11, 0])])
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    ...before,
    segment(0xdb, Buffer.alloc(65, 1)),
    segment(frame, header),
    segment(0xc4, Buffer.from('00000000000000000000000000000000000000', 'hex')),
    segment(0xda, Buffer.from('0101003f00', 'hex')),
    Buffer.from('00ff00', 'hex'),
    Buffer.from('ffd9', 'hex'),
  ])
}

export function segment(marker: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker]), u16be(data.length + 2), data])
}

/** An Exif segment that holds a small picture of its own, with its own frame header and end. */
export function exif(): Buffer {
  return segment(0xe1, Buffer.concat([ascii('Exif\0\0II*\0'), jpeg(160, 120)]))
}

/** @param frames - how many pictures it has. */
export function gif(width: number, height: number, frames = 1): Buffer {
  const frame = Buffer.concat([
    Buffer.from('21f90400000000', 'hex'),
    Buffer.from('00', 'hex'),
    Buffer.from([0x2c]),
    ...[0, 0, width, height].map(u16le),
    Buffer.from('000202440100', 'hex'),
  ])
  const loop = Buffer.concat([Buffer.from([0x21, 0xff, 11]), ascii('NETSCAPE2.0'), Buffer.from('0301000000', 'hex')])
  return Buffer.concat([
    ascii('GIF89a'),
    u16le(width),
    u16le(height),
    Buffer.from('800000000000ffffff', 'hex'),
    ...(frames > 1 ? [loop] : []),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from(';'),
  ])
}

function riff(...chunks: readonly (readonly [name: string, data: Buffer])[]): Buffer {
  const body = chunks.flatMap(([name, data]) => [ascii(name), u32le(data.length), data, Buffer.alloc(data.length % 2)])
  const bytes = Buffer.concat([ascii('WEBP'), ...body])
  return Buffer.concat([ascii('RIFF'), u32le(bytes.length), bytes])
}

function lossless(width: number, height: number): Buffer {
  return Buffer.concat([Buffer.from([0x2f]), u32le(((width - 1) | ((height - 1) << 14)) >>> 0), Buffer.from('1007111188888800', 'hex')])
}

/** The three kinds of a WebP: lossy, lossless, and extended, here with two pictures. */
export const webp = {
  lossy: (width: number, height: number) =>
    riff(['VP8 ', Buffer.concat([Buffer.from('3001009d012a', 'hex'), u16le(width), u16le(height), Buffer.alloc(12)])]),
  lossless: (width: number, height: number) => riff(['VP8L', lossless(width, height)]),
  animated(width: number, height: number): Buffer {
    const size = Buffer.concat([u24le(width - 1), u24le(height - 1)])
    const data = lossless(width, height)
    const frame = Buffer.concat([Buffer.alloc(6), size, u24le(100), Buffer.from([0]), ascii('VP8L'), u32le(data.length), data])
    return riff(
      ['VP8X', Buffer.concat([Buffer.from('02000000', 'hex'), size])],
      ['ANIM', Buffer.alloc(6)],
      ['ANMF', frame],
      ['ANMF', frame],
    )
  },
} as const
