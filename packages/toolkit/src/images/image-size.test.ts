import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exif, gif, jpeg, png, segment, webp } from '../../test/images.ts'
import type { ImageType } from '../files/sniff.ts'
import { imageSizeOf } from './image-size.ts'

const IMAGES: readonly (readonly [name: string, type: ImageType, make: (width: number, height: number) => Buffer])[] = [
  ['a PNG', 'image/png', png],
  ['a GIF', 'image/gif', gif],
  ['an animated GIF', 'image/gif', (width, height) => gif(width, height, 3)],
  ['a JPEG', 'image/jpeg', jpeg],
  ['a progressive JPEG', 'image/jpeg', (width, height) => jpeg(width, height, [], 0xc2)],
  ['a JPEG with Exif and a small picture in front', 'image/jpeg', (width, height) => jpeg(width, height, [exif()])],
  ['a lossy WebP', 'image/webp', webp.lossy],
  ['a lossless WebP', 'image/webp', webp.lossless],
  ['an animated WebP', 'image/webp', webp.animated],
]

test.each(IMAGES)('the size of %s is read from its header', (_, type, make) => {
  for (const [width, height] of [
    [1, 1],
    [640, 3],
    [300, 4_097],
  ] as const) {
    expect(imageSizeOf(type, make(width, height))).toEqual({ width, height })
  }
})

test.each(IMAGES)('%s has no size when it is cut, wherever that is', (_, type, make) => {
  const bytes = make(20, 30)
  // of a GIF the first picture is enough
  const pictureEnd = type === 'image/gif' ? bytes.indexOf(Buffer.from('0202440100', 'hex')) + 5 : bytes.length
  for (let length = 0; length < pictureEnd; length++) expect(imageSizeOf(type, bytes.subarray(0, length))).toBeUndefined()
  expect(imageSizeOf(type, bytes.subarray(0, pictureEnd))).toEqual({ width: 20, height: 30 })
})

test.each<[string, ImageType, Buffer]>([
  ['no pixels', 'image/gif', gif(0, 5)],
  ['no lines', 'image/jpeg', jpeg(5, 0)],
  ['a header whose checksum is of another', 'image/png', changed(png(5, 5), 19, 6)],
  ['a first chunk that is no header', 'image/png', changed(png(5, 5), 12, 0x69)],
  ['a header of another length', 'image/png', changed(png(5, 5), 11, 12)],
  ['a chunk that claims more than there is', 'image/png', changed(png(5, 5), 33, 0x7f)],
  ['no frame before the scan', 'image/jpeg', jpeg(5, 5, [segment(0xda, Buffer.alloc(6))])],
  [
    'a frame that is only in the small picture',
    'image/jpeg',
    Buffer.concat([Buffer.from('ffd8', 'hex'), exif(), Buffer.from('ffd9', 'hex')]),
  ],
  ['a segment shorter than its own length', 'image/jpeg', jpeg(5, 5, [Buffer.from('ffe00001', 'hex')])],
  ['a segment of length 0', 'image/jpeg', jpeg(5, 5, [Buffer.from('ffe00000', 'hex')])],
  ['a segment that leads past the end', 'image/jpeg', jpeg(5, 5, [Buffer.from('ffe0ffff', 'hex')])],
  ['a block that is neither extension nor picture', 'image/gif', changed(gif(5, 5), 19, 0x22)],
  ['no key frame', 'image/webp', changed(webp.lossy(5, 5), 20, 0x31)],
  ['no start code', 'image/webp', changed(webp.lossy(5, 5), 23, 0)],
  ['no signature', 'image/webp', changed(webp.lossless(5, 5), 20, 0)],
  ['a first chunk that is no picture', 'image/webp', changed(webp.lossless(5, 5), 12, 0x57)],
])('%s is no size, in %s', (_, type, bytes) => {
  expect(imageSizeOf(type, bytes)).toBeUndefined()
})

test('fill bytes, markers without a length, segments of neighbouring numbers and stray bytes between the segments of a JPEG are passed over', () => {
  const before = [
    Buffer.from('ffff', 'hex'),
    segment(0xe0, Buffer.alloc(14)),
    ...[0xc4, 0xc8, 0xcc].map((marker) => segment(marker, Buffer.alloc(9, 1))),
    Buffer.from('ffd0ff01aabb', 'hex'),
  ]
  expect(imageSizeOf('image/jpeg', jpeg(7, 9, before))).toEqual({ width: 7, height: 9 })
})

test('what follows the end of an image is no matter', () => {
  for (const [, type, make] of IMAGES) {
    expect(imageSizeOf(type, Buffer.concat([make(3, 4), Buffer.alloc(100, 0xff)]))).toEqual({ width: 3, height: 4 })
  }
})

test('a JPEG of fill bytes, of tiny segments or of stray bytes is passed over in one go', () => {
  for (const part of ['ff', 'ffe00002', 'ffd0', '00', 'ff00']) {
    const bytes = Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.alloc(4_000_000, Buffer.from(part, 'hex'))])
    expect(imageSizeOf('image/jpeg', bytes)).toBeUndefined()
  }
})

test('whatever the bytes, nothing is thrown, and a size has pixels', () => {
  const seeds = IMAGES.map(([, type, make]) => ({ type, bytes: make(9, 9) }))
  const edits = fc.array(fc.tuple(fc.nat(200), fc.integer({ min: 0, max: 255 })), { maxLength: 6 })
  fc.assert(
    fc.property(
      fc.constantFrom(...seeds),
      edits,
      fc.nat(200),
      fc.uint8Array({ maxLength: 40 }),
      ({ type, bytes }, changes, length, tail) => {
        const odd = Buffer.concat([bytes.subarray(0, length), tail])
        for (const [at, byte] of changes) if (at < odd.length) odd[at] = byte
        for (const buffer of [odd, Buffer.from(tail)]) {
          const size = imageSizeOf(type, buffer)
          if (size !== undefined) expect(Math.min(size.width, size.height)).toBeGreaterThan(0)
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

/** A copy with one byte changed. */
function changed(bytes: Buffer, at: number, byte: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = byte
  return copy
}
