import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineWindow, type WindowLimits } from './line-window.ts'

const wide: WindowLimits = { offset: 1, maxLines: 100, maxLineChars: 100, maxBytes: 10_000 }

function take(chunks: readonly string[], limits: Partial<WindowLimits> = {}) {
  const window = new LineWindow({ ...wide, ...limits })
  for (const chunk of chunks) window.push(chunk)
  window.end()
  return { lines: window.lines, totalLines: window.totalLines }
}

const texts = (chunks: readonly string[], limits?: Partial<WindowLimits>) => take(chunks, limits).lines.map((line) => line.text)

test('lines end with LF or CRLF, and a last line needs neither', () => {
  expect(texts(['a\nb\r\nc'])).toEqual(['a', 'b', 'c'])
  expect(texts(['a\n'])).toEqual(['a'])
  expect(texts(['\n\n'])).toEqual(['', ''])
  expect(take([''])).toEqual({ lines: [], totalLines: 0 })
})

test('a lone carriage return is a character', () => {
  expect(texts(['a\rb\n'])).toEqual(['a\rb'])
})

test('a CRLF that falls between two pieces is still one line break', () => {
  expect(texts(['a\r', '\nb'])).toEqual(['a', 'b'])
})

test('a CRLF does not count towards the length of its line', () => {
  expect(take(['abc\r\n'], { maxLineChars: 3 }).lines).toEqual([{ number: 1, text: 'abc' }])
})

test('a window ends at its lines, at its bytes, and counts on', () => {
  expect(take(['a\nb\nc\nd\n'], { offset: 2, maxLines: 2 })).toMatchObject({ lines: [{ number: 2 }, { number: 3 }], totalLines: 4 })
  expect(take(['aaaa\nbbbb\ncccc\n'], { maxBytes: 14 })).toMatchObject({ lines: [{ number: 1 }, { number: 2 }], totalLines: 3 })
})

test('bytes are counted in UTF-8, as they are shown: the number, the mark of a cut, the break', () => {
  expect(texts(['中中\nb\n'], { maxBytes: 12 })).toEqual(['中中'])
  expect(texts(['中中\nb\n'], { maxBytes: 13 })).toEqual(['中中', 'b'])
  expect(texts(['aaaa\nb\n'], { maxLineChars: 3, maxBytes: 32 })).toEqual(['aaa'])
  expect(texts(['aaaa\nb\n'], { maxLineChars: 3, maxBytes: 33 })).toEqual(['aaa', 'b'])
})

test('one line is shown even when it alone exceeds the bytes, so that reading on makes progress', () => {
  expect(texts(['aaaa\nb\n'], { maxBytes: 2 })).toEqual(['aaaa'])
})

test('a line that does not fit the bytes is not followed by a shorter one that would', () => {
  expect(texts(['aa\nbbbbbb\nc\n'], { maxBytes: 9 })).toEqual(['aa'])
})

test('any cut of the same text into pieces gives the same window', () => {
  const piece = fc.constantFrom('a', '中', '😀', '\n', '\r\n', '\r', 'long words here')
  const limits = fc.record({
    offset: fc.integer({ min: 1, max: 6 }),
    maxLines: fc.integer({ min: 1, max: 5 }),
    maxLineChars: fc.integer({ min: 2, max: 12 }),
    maxBytes: fc.integer({ min: 1, max: 60 }),
  })
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), limits, (pieces, chosen) => {
      expect(take(pieces, chosen)).toEqual(take([pieces.join('')], chosen))
    }),
  )
})

test('whatever the text, numbers go on from the offset, cuts add up, and no pair is split', () => {
  const piece = fc.constantFrom('a', '中', '😀', '\n', '\r\n')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 2, max: 9 }), (pieces, maxLineChars) => {
      const text = pieces.join('')
      const whole = text.split('\n').map((line) => line.replace(/\r$/, ''))
      if (whole.at(-1) === '') whole.pop()
      const { lines, totalLines } = take([text], { maxLineChars })
      expect(totalLines).toBe(whole.length)
      lines.forEach((line, index) => {
        expect(line.number).toBe(index + 1)
        expect(whole[index]?.startsWith(line.text)).toBe(true)
        expect(line.text.length + (line.cut ?? 0)).toBe(whole[index]?.length)
        expect(line.text.length).toBeLessThanOrEqual(maxLineChars)
        expect(line.text.isWellFormed()).toBe(true)
      })
    }),
  )
})
