import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecordSplitter } from './record-splitter.ts'

function split(chunks: readonly Buffer[], maxBytes: number) {
  const records: { text: string; shortened: boolean }[] = []
  const splitter = new RecordSplitter({
    separator: 0x0a,
    maxBytes,
    createShortener() {
      let bytes = 0
      const push = (piece: Buffer) => {
        bytes += piece.length
      }
      return { push, end: () => Buffer.from(`${bytes} bytes`) }
    },
    onRecord: (record, shortened) => void records.push({ text: record.toString(), shortened }),
  })
  for (const chunk of chunks) splitter.push(chunk)
  return records
}

test('records come out whole, wherever the pieces are cut, and long ones go through the shortener', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{0,30}$/), { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), (texts, size) => {
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''))
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size))
      const expected = texts.map((text) =>
        text.length > 20 ? { text: `${text.length} bytes`, shortened: true } : { text, shortened: false },
      )
      expect(split(chunks, 20)).toEqual(expected)
    }),
  )
})
