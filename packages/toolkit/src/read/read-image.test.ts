import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRuntime } from '@dsh/tools'
import { spillPolicy } from '@dsh/tools/policies/spill'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gif, jpeg, png, webp } from '../../test/images.ts'
import { runTool } from '../../test/run-tool.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import { type FileToolsLimits, fileTools, type ReadImageValue, readBeforeWrite, readTool, resultTools } from '../index.ts'

const read = (root: string, args: object, limits: FileToolsLimits = {}) => runTool<ReadImageValue>(readTool({ root, limits }), args)

test.each([
  ['image/png', png(640, 480)],
  ['image/jpeg', jpeg(640, 480)],
  ['image/gif', gif(640, 480, 2)],
  ['image/webp', webp.animated(640, 480)],
])('an image of the type %s is shown, with what it is in words', async (mediaType, bytes) => {
  const root = await tempFolder({ 'shots/a b': bytes })
  const runtime = createRuntime()
  runtime.tools.register(readTool({ root }))
  const result = await runtime.call('read', { path: 'shots/a b' })
  const data = bytes.toString('base64')
  expect(result.value).toEqual({ path: 'shots/a b', mediaType, sizeBytes: bytes.length, width: 640, height: 480, data })
  expect(result.content).toEqual([
    { type: 'text', text: `shots/a b: ${mediaType}, 640 x 480 pixels, ${bytes.length.toLocaleString('en-US')} bytes` },
    { type: 'image', mediaType, data },
  ])
})

test('what a file holds decides, not its name', async () => {
  const root = await tempFolder({
    'text.png': 'no picture\n',
    'picture.txt': png(2, 3),
    'GIF89a.md': 'GIF89a is a format.\n',
    'riff.md': 'RIFFs ofWEBP\n',
    'a.svg': '<svg/>\n',
  })
  expect((await read(root, { path: 'text.png' })).text).toBe('1\tno picture')
  expect((await read(root, { path: 'GIF89a.md' })).text).toBe('1\tGIF89a is a format.')
  expect((await read(root, { path: 'riff.md' })).text).toBe('1\tRIFFs ofWEBP')
  expect((await read(root, { path: 'a.svg' })).text).toBe('1\t<svg/>')
  expect((await read(root, { path: 'picture.txt' })).value).toMatchObject({ mediaType: 'image/png', width: 2, height: 3 })
})

test('an image is shown whole, whichever lines are asked for; a number that is no line is refused all the same', async () => {
  const root = await tempFolder({ a: png(2, 3) })
  expect((await read(root, { path: 'a', offset: 2_001, limit: 1 })).value).toMatchObject({ width: 2, sizeBytes: png(2, 3).length })
  expect((await read(root, { path: 'a', offset: 0 })).error?.code).toBe('INVALID_RANGE')
})

test('an image that is cut or broken is refused, and so is one of its first bytes alone', async () => {
  const root = await tempFolder({ cut: png(200, 200).subarray(0, 40), start: Buffer.from('89504e470d0a1a0a', 'hex'), none: '' })
  expect((await read(root, { path: 'cut' })).error).toEqual({
    code: 'INVALID_IMAGE',
    message: 'cut begins like a PNG image, but is broken or cut off; it has 40 bytes. It cannot be shown: make the file anew.',
  })
  expect((await read(root, { path: 'start' })).error?.code).toBe('INVALID_IMAGE')
  expect((await read(root, { path: 'none' })).text).toBe('[none is empty]')
})

test('an image above a limit is refused, with its size and the limit', async () => {
  const root = await tempFolder({ large: png(10, 10, 4_000_000), larger: png(10, 10, 9_000_000), wide: png(8_001, 1), most: png(8_000, 1) })
  const most = png(10, 10, 3_932_160 - png(10, 10, 1).length + 1)
  expect((await read(await tempFolder({ most }), { path: 'most' })).value).toMatchObject({ sizeBytes: 3_932_160, width: 10 })
  expect((await read(root, { path: 'large' })).error).toEqual({
    code: 'IMAGE_TOO_LARGE',
    message: `large is a PNG image of ${png(10, 10, 4_000_000).length.toLocaleString('en-US')} bytes, more than the 3,932,160 bytes that can be shown. Make a smaller copy of it, and read that.`,
  })
  expect((await read(root, { path: 'larger' })).error?.message).toContain('a PNG image of 9,000,')
  expect((await read(root, { path: 'larger' }, { readImageBytes: 10_000_000 })).value).toMatchObject({
    data: base64(png(10, 10, 9_000_000)),
  })
  expect((await read(root, { path: 'wide' })).error).toMatchObject({
    code: 'IMAGE_TOO_LARGE',
    message: expect.stringContaining('8001 x 1 pixels, more than the 8,000 pixels a side'),
  })
  expect((await read(root, { path: 'wide' }, { readImageSide: 9_000 })).value).toMatchObject({ width: 8_001 })
  expect((await read(root, { path: 'most' })).value).toMatchObject({ width: 8_000 })
})

test('a long image result is a picture, not a preview of it', async () => {
  const root = await tempFolder({ a: png(1_000, 900, 1_000_000) })
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root })
  await runtime.plugin(resultTools, { folder: join(root, 'results') })
  await runtime.plugin(spillPolicy)
  const { content } = await runtime.call('read', { path: 'a' })
  const [words, picture] = content
  expect(words).toMatchObject({ type: 'text', text: expect.stringContaining('a: image/png, 1000 x 900 pixels') })
  expect(picture).toEqual({ type: 'image', mediaType: 'image/png', data: base64(png(1_000, 900, 1_000_000)) })
})

test('an agent that has seen an image has read its file', async () => {
  const root = await tempFolder({ seen: png(2, 3), unseen: png(2, 3) })
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root })
  await runtime.plugin(readBeforeWrite)
  await runtime.call('read', { path: 'seen' })
  const codeOf = async (path: string) => (await runtime.call('write', { path, content: 'text' })).error?.info?.code
  expect(await codeOf('unseen')).toBe('FILE_NOT_READ')
  expect(await codeOf('seen')).toBe('BINARY_FILE') // it is told what stands there, and that a text does not replace it
})

test('the card says what was shown, and does not hold the picture again', async () => {
  const root = await tempFolder({ 'a.png': png(2, 3) })
  expect((await read(root, { path: 'a.png' })).view).toEqual({
    card: 'generic',
    title: 'a.png',
    content: [{ type: 'text', text: `image/png, 2 x 3 pixels, ${png(2, 3).length} bytes` }],
  })
})

test('whatever a file holds, a call ends with a value or an error of the tool', async () => {
  const root = await tempFolder()
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root })
  const starts = [png(9, 9), jpeg(9, 9), gif(9, 9), webp.lossy(9, 9), webp.lossless(9, 9), webp.animated(9, 9), Buffer.alloc(0)]
  const start = fc.tuple(fc.constantFrom(...starts), fc.nat(150)).map(([bytes, length]) => bytes.subarray(0, length))
  await fc.assert(
    fc.asyncProperty(start, fc.uint8Array({ maxLength: 60 }), async (head, tail) => {
      await writeFile(join(root, 'a'), Buffer.concat([head, tail]))
      const { isError, error } = await runtime.call('read', { path: 'a' })
      if (isError) expect(['INVALID_IMAGE', 'BINARY_FILE']).toContain(error.info?.code)
    }),
    { numRuns: 200 },
  )
})

function base64(bytes: Buffer): string {
  return bytes.toString('base64')
}
