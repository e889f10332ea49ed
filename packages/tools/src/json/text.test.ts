import fc from 'fast-check'
import { expect, test } from 'vitest'
import { excerpt, isJsonObject, wellFormed } from './text.ts'

test('lone surrogates become U+FFFD, pairs stay', () => {
  expect(wellFormed('a\ud800b')).toBe('a\ufffdb')
  expect(wellFormed('\udc00\ud800')).toBe('\ufffd\ufffd')
  expect(wellFormed('ok 😀')).toBe('ok 😀')
})

test('engines without isWellFormed get the same', () => {
  const original = String.prototype.isWellFormed
  const { toWellFormed } = String.prototype
  Object.assign(String.prototype, { isWellFormed: undefined })
  try {
    expect(wellFormed('a\ud800b😀\udc00')).toBe('a\ufffdb😀\ufffd')
    fc.assert(fc.property(text, (sample) => wellFormed(sample) === toWellFormed.call(sample)))
  } finally {
    Object.assign(String.prototype, { isWellFormed: original })
  }
})

test('an excerpt never cuts a surrogate pair', () => {
  expect(excerpt('ab😀cd', 4)).toBe('ab…')
  expect(excerpt('ab😀cd', 5)).toBe('ab😀…')
  expect(excerpt('abc', 3)).toBe('abc')
  expect([excerpt('😀', 1), excerpt('😀x', 2), excerpt('abc', 0), excerpt('', 0)]).toEqual(['…', '…', '', ''])
  fc.assert(
    fc.property(text.map(wellFormed), fc.nat({ max: 50 }), (sample, max) => {
      const cut = excerpt(sample, max)
      expect(cut.length).toBeLessThanOrEqual(max)
      expect(cut.isWellFormed()).toBe(true)
      expect(sample.startsWith(cut.replace(/…$/, '')) || sample === cut).toBe(true)
    }),
  )
})

test('an object is neither null, an array nor a scalar', () => {
  expect([{}, Object.create(null), [], null, 'x', 1].map(isJsonObject)).toEqual([true, true, false, false, false, false])
})

/** Any UTF-16 units, lone surrogates among them. */
const text = fc
  .array(fc.oneof(fc.constantFrom(0xd800, 0xdbff, 0xdc00, 0xdfff), fc.nat({ max: 0xffff })), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units))
