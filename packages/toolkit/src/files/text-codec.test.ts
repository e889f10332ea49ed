import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText, encodeText } from './text-codec.ts'

const BOMS = { none: '', 'utf-8': 'efbbbf', 'utf-16le': 'fffe', 'utf-16be': 'feff' }
const mark = fc.constantFrom(...Object.values(BOMS)).map((hex) => Buffer.from(hex, 'hex'))
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((body) => Buffer.from(body)),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => Buffer.from(text)),
  fc.string({ maxLength: 20 }).map((text) => Buffer.from(text, 'utf16le')),
  fc.string({ unit: fc.constantFrom('a', 'é', '€', 'ÿ', 'þ', 'Ã', '\x81'), maxLength: 8 }).map((text) => Buffer.from(text, 'latin1')),
)

test('what is read of whatever bytes is written back as the very same bytes', () => {
  fc.assert(
    fc.property(mark, bytes, (start, body) => {
      const whole = Buffer.concat([start, body])
      const decoded = decodeText(whole)
      if (decoded.kind === 'text') expect(encodeText(decoded.text, decoded.format)).toEqual(whole)
      else expect(decoded.what).not.toBe('')
    }),
    { numRuns: 500 },
  )
})

const unit = fc.constantFrom('a', '\n', 'é', '€', '文', '😀', '\0', '\ud800', 'Ã', '©', 'ÿ', 'þ', 'ï', '»', '¿')
const format = fc.constantFrom(
  { encoding: 'utf-8', bomBytes: 0 } as const,
  { encoding: 'utf-8', bomBytes: 3 } as const,
  { encoding: 'utf-16le', bomBytes: 2 } as const,
  { encoding: 'utf-16be', bomBytes: 2 } as const,
  { encoding: 'windows-1252', bomBytes: 0 } as const,
)

test('a text is read back as it was written, or is refused with what to send instead', () => {
  fc.assert(
    fc.property(format, fc.string({ unit, maxLength: 5 }), (as, text) => {
      let written: Buffer
      try {
        written = encodeText(text, as)
      } catch (error) {
        expect(error).toMatchObject({ code: 'UNENCODABLE_TEXT', message: expect.stringMatching(/ Send .* Nothing was changed\.$/) })
        return
      }
      expect(decodeText(written)).toMatchObject({ kind: 'text', text })
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['a NUL', 'a\0b', { encoding: 'utf-8', bomBytes: 0 }, 'NUL'],
  ['a NUL right behind a mark', '\0', { encoding: 'utf-16le', bomBytes: 2 }, 'NUL'],
  ['a NUL far from the start', `é${'a'.repeat(10_000)}\0`, { encoding: 'windows-1252', bomBytes: 0 }, 'NUL'],
  ['characters that spell another in UTF-8', 'Ã©', { encoding: 'windows-1252', bomBytes: 0 }, 'another encoding'],
  ['characters that spell a mark', 'ÿþab', { encoding: 'windows-1252', bomBytes: 0 }, 'another encoding'],
  ['half a character', 'a\udc00', { encoding: 'utf-8', bomBytes: 0 }, 'U+DC00'],
  ['a character it does not have', 'a😀', { encoding: 'windows-1252', bomBytes: 0 }, '"😀" (U+1F600)'],
] as const)('%s is refused where it would be read as something else', (_name, text, as, why) => {
  expect(() => encodeText(text, as)).toThrow(why)
})

test('text without anything but ASCII is the same in both, and a text may bring a mark', () => {
  expect(encodeText('abc', { encoding: 'windows-1252', bomBytes: 0 })).toEqual(Buffer.from('abc'))
  expect(decodeText(encodeText('\ufeffabc', { encoding: 'utf-8', bomBytes: 0 }))).toMatchObject({ text: 'abc', format: { bomBytes: 3 } })
})
