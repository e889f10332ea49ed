import { expect, test, vi } from 'vitest'
import { excerpt, wellFormed } from './text.ts'

test('lone surrogates become U+FFFD, pairs stay', () => {
  expect(wellFormed('a\ud800b')).toBe('a\ufffdb')
  expect(wellFormed('\udc00\ud800')).toBe('\ufffd\ufffd')
  expect(wellFormed('ok 😀')).toBe('ok 😀')
})

test('engines without isWellFormed get the same', () => {
  vi.spyOn(String.prototype, 'isWellFormed').mockReturnValue(undefined as never)
  const original = String.prototype.isWellFormed
  Object.assign(String.prototype, { isWellFormed: undefined })
  try {
    expect(wellFormed('a\ud800b😀\udc00')).toBe('a\ufffdb😀\ufffd')
  } finally {
    Object.assign(String.prototype, { isWellFormed: original })
  }
})

test('an excerpt never cuts a surrogate pair', () => {
  expect(excerpt('ab😀cd', 4)).toBe('ab…')
  expect(excerpt('ab😀cd', 5)).toBe('ab😀…')
  expect(excerpt('abc', 3)).toBe('abc')
})
