import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutAround } from './cut.ts'

test('a text that fits is left as it is', () => {
  expect(cutAround('abc', { start: 1, length: 1 }, 3)).toEqual({ text: 'abc' })
})

test('a long text is centred on the match, and says at which ends it was cut', () => {
  const text = `${'a'.repeat(50)}MATCH${'b'.repeat(50)}`
  expect(cutAround(text, { start: 50, length: 5 }, 15)).toEqual({ text: 'aaaaaMATCHbbbbb', cut: 'both' })
  expect(cutAround(text, { start: 0, length: 1 }, 10)).toEqual({ text: 'a'.repeat(10), cut: 'end' })
  expect(cutAround(text, { start: 104, length: 1 }, 10)).toEqual({ text: 'b'.repeat(10), cut: 'start' })
})

test('a match that does not fit is shown from its beginning', () => {
  expect(cutAround(`xx${'m'.repeat(20)}y`, { start: 2, length: 20 }, 5)).toEqual({ text: 'mmmmm', cut: 'both' })
})

test('a window that would begin and end within pairs keeps the pair it begins in', () => {
  expect(cutAround('😀😀😀', { start: 3, length: 0 }, 3).text).toBe('😀')
  expect(cutAround('😀😀😀', { start: 2, length: 0 }, 2).text).toBe('😀')
})

test('a cut never splits a surrogate pair, never exceeds the limit, and keeps a piece of the text', () => {
  const unit = fc.constantFrom('a', '中', '😀', '👩‍💻', '\n')
  fc.assert(
    fc.property(
      fc.array(unit, { maxLength: 60 }),
      fc.nat(100),
      fc.nat(20),
      fc.integer({ min: 2, max: 30 }),
      (units, start, length, max) => {
        const text = units.join('')
        const at = Math.min(start, text.length)
        const { text: shown } = cutAround(text, { start: at, length: Math.min(length, text.length - at) }, max)
        expect(shown.isWellFormed()).toBe(true)
        expect(shown.length).toBeLessThanOrEqual(max)
        expect(text).toContain(shown)
        if (text.length > 0) expect(shown).not.toBe('')
      },
    ),
  )
})
