import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeptStream } from './kept-stream.ts'

const CHARACTERS = fc.constantFrom('a', 'é', '中', '😀', '\n')

function keep(bytes: Buffer, chunkBytes: number, maxBytes: number): KeptStream {
  const stream = new KeptStream(maxBytes)
  for (let at = 0; at < bytes.length; at += chunkBytes) stream.push(bytes.subarray(at, at + chunkBytes))
  return stream
}

test('what fits is whole, to the byte; of more the head and the tail are kept, as much as fits in whole characters', () => {
  fc.assert(
    fc.property(
      fc.array(CHARACTERS, { maxLength: 60 }),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 80 }),
      (characters, chunkBytes, maxBytes) => {
        const whole = Buffer.from(characters.join(''))
        const stream = keep(whole, chunkBytes, maxBytes)
        const { text, omitted } = stream.toText()
        expect(stream.bytes).toBe(whole.length)
        expect(stream.isCut).toBe(whole.length > maxBytes)
        expect(omitted !== undefined).toBe(stream.isCut)
        if (omitted === undefined) {
          expect(text).toBe(whole.toString())
          return
        }
        const { at, bytes } = omitted
        const [head, tail] = [Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at))]
        expect(head.equals(whole.subarray(0, head.length))).toBe(true)
        expect(tail.equals(whole.subarray(whole.length - tail.length))).toBe(true)
        expect(head.length + tail.length + bytes).toBe(whole.length)
        const half = Math.ceil(maxBytes / 2)
        expect(head.length).toBeLessThanOrEqual(half)
        expect(head.length).toBeGreaterThan(half - 4)
        expect(tail.length).toBeLessThanOrEqual(maxBytes - half)
        expect(tail.length).toBeGreaterThan(maxBytes - half - 4)
      },
    ),
  )
})
