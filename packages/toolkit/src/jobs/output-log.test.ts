import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OutputLog } from './output-log.ts'

const CHARACTERS = fc.constantFrom('a', 'é', '中', '😀', '\n')

/** The chunks of a text's bytes, cut where the numbers say. */
function cutAt(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  let at = 0
  for (let index = 0; at < bytes.length; index++) {
    const length = lengths[index % lengths.length] as number
    chunks.push(bytes.subarray(at, at + length))
    at += length
  }
  return chunks
}

test('any pattern of reading by several readers gives each of them the whole text, and never half a character', () => {
  fc.assert(
    fc.property(
      fc.array(CHARACTERS, { maxLength: 200 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.record({ reader: fc.nat(2), limit: fc.integer({ min: 1, max: 20 }) }), { maxLength: 60 }),
      (characters, lengths, reads) => {
        const text = characters.join('')
        const log = new OutputLog(100_000)
        const readers = [0, 1, 2].map(() => ({ cursor: 0, seen: '' }))
        const read = (reader: { cursor: number; seen: string }, limit: number) => {
          const page = log.read(reader.cursor, limit)
          expect(page).toMatchObject({ cursor: reader.cursor, skippedBytes: 0 })
          expect(page.text.includes('\ufffd')).toBe(false)
          expect(page.nextCursor - page.cursor).toBe(Buffer.byteLength(page.text))
          expect(page.nextCursor - page.cursor).toBeLessThanOrEqual(Math.max(limit, 4))
          reader.cursor = page.nextCursor
          reader.seen += page.text
        }
        const chunks = cutAt(Buffer.from(text), lengths)
        for (const { reader, limit } of reads) {
          const chunk = chunks.shift()
          if (chunk) log.push('stdout', chunk)
          read(readers[reader] as (typeof readers)[0], limit)
        }
        for (const chunk of chunks) log.push('stdout', chunk)
        for (const reader of readers) {
          while (reader.cursor < log.bytes) read(reader, 7)
          expect(reader.seen).toBe(text)
        }
      },
    ),
  )
})

test('what falls out of the window is counted, the rest is the end of the text, and memory stays within twice the window', () => {
  fc.assert(
    fc.property(
      fc.array(CHARACTERS, { maxLength: 300 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 4, max: 40 }),
      (characters, lengths, windowBytes) => {
        const whole = Buffer.from(characters.join(''))
        const log = new OutputLog(windowBytes)
        for (const chunk of cutAt(whole, lengths)) log.push('stderr', chunk)
        expect(log.bytes).toBe(whole.length)
        const page = log.read(0, whole.length + 1)
        expect(page.text).toBe(whole.subarray(page.cursor).toString())
        expect(page.skippedBytes).toBe(page.cursor)
        expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(windowBytes * 2)
        expect(Buffer.byteLength(page.text)).toBeGreaterThanOrEqual(Math.min(whole.length, windowBytes) - 3)
      },
    ),
  )
})

test('characters of the two streams that arrive in pieces stay whole, in the order in which they became so', () => {
  const log = new OutputLog(1_000)
  const [pile, smile] = [Buffer.from('中'), Buffer.from('😀')]
  log.push('stdout', pile.subarray(0, 1))
  log.push('stderr', smile.subarray(0, 2))
  log.push('stdout', pile.subarray(1))
  log.push('stderr', smile.subarray(2))
  expect(log.read(0, 100).text).toBe('中😀')
})

test('bytes that are no UTF-8 are replaced, also at the end', () => {
  const log = new OutputLog(1_000)
  log.push('stdout', Buffer.from([0x61, 0xff, 0x62, 0xe4]))
  expect(log.read(0, 100).text).toBe('a\ufffdb')
  log.end()
  expect(log.read(0, 100).text).toBe('a\ufffdb\ufffd')
})

test('a cursor within a character means its beginning, one below 0 counts from the end, one beyond the end means it', () => {
  const log = new OutputLog(1_000)
  log.push('stdout', Buffer.from('a😀b'))
  expect(log.read(3, 100)).toEqual({ text: '😀b', cursor: 1, nextCursor: 6, skippedBytes: 0 })
  expect(log.read(-1, 100)).toEqual({ text: 'b', cursor: 5, nextCursor: 6, skippedBytes: 0 })
  expect(log.read(-100, 1)).toEqual({ text: 'a', cursor: 0, nextCursor: 1, skippedBytes: 0 })
  expect(log.read(100, 100)).toEqual({ text: '', cursor: 6, nextCursor: 6, skippedBytes: 0 })
})
