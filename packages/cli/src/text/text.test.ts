import { expect, test } from 'vitest'
import { printable, printableLine } from './printable.ts'
import { cutToWidth } from './width.ts'

test('nothing that steers a terminal survives', () => {
  expect(printable('\u001b[2Ja\u0007\u202eb\u200b')).toBe('\\u{1b}[2Ja\\u{7}\\u{202e}b\\u{200b}')
  expect(printable('a\tb\nc')).toBe('a\tb\nc')
  expect(printableLine('a\r\n  b\tc')).toBe('a b c')
  expect(printable('\ud800')).toBe('\ufffd')
})

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 5, 'abcd…'],
  ['中文字', 6, '中文字'],
  ['中文字', 5, '中文…'],
  ['中文字', 4, '中…'],
  ['ab👨‍👩‍👧cd', 5, 'ab👨‍👩‍👧…'],
  ['ab👨‍👩‍👧cd', 4, 'ab…'],
  ['e\u0301e\u0301', 2, 'e\u0301e\u0301'],
])('%s in %i columns is %s', (text, columns, cut) => {
  expect(cutToWidth(text, columns)).toBe(cut)
})
