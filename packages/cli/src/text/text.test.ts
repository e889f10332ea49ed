import { expect, test } from 'vitest'
import { decodeText } from './decode.ts'
import { firstUnits, printable, printableJson, printableLine } from './printable.ts'
import { cutToWidth, textWidth } from './width.ts'

test('nothing that steers a terminal survives', () => {
  expect(printable('\u001b[2Ja\u0007\u202eb\u200b')).toBe('\\u{1b}[2Ja\\u{7}\\u{202e}b\\u{200b}')
  expect(printable('\u009b2J\u007f\u00ad\u2028\u{e0041}')).toBe('\\u{9b}2J\\u{7f}\\u{ad}\\u{2028}\\u{e0041}')
  expect(printable('a\tb\nc\rd')).toBe('a\tb\nc\\u{d}d')
  expect(printableLine('a\r\n  b\tc')).toBe('a b c')
  expect(printable('\ud800')).toBe('\ufffd')
})

test('joiners stay where they join, and are shown where they hide', () => {
  for (const text of ['👨‍👩‍👧', '👩🏽‍💻', '❤️‍🔥', 'می‌خواهم', 'क्‍ष']) expect(printable(text)).toBe(text)
  expect(printable('read\u200dme \u200c')).toBe('read\\u{200d}me \\u{200c}')
})

test('JSON stays the same JSON, and no terminal acts upon it', () => {
  const value = { '\u009b': ['\u001b]0;x\u0007', '\u202e\u{e0041}', 'a\tb', '中', '\ud800'] }
  const json = printableJson(value)
  expect(JSON.parse(json)).toEqual(value)
  expect(printable(json)).toBe(json)
  expect(json).toContain('中')
})

test('a text is never cut inside a pair', () => {
  expect(firstUnits('a😀b', 2)).toBe('a')
  expect(firstUnits('a😀b', 3)).toBe('a😀')
  expect(firstUnits('abc', 9)).toBe('abc')
})

test('bytes that are no UTF-8 are no text', () => {
  expect(decodeText(Buffer.from('\ufeffa'), { stripBom: true })).toBe('a')
  expect(decodeText(Buffer.from('\ufeffa'), { stripBom: false })).toBe('\ufeffa')
  expect(decodeText(Buffer.from([0xff]), { stripBom: true })).toBeUndefined()
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
  expect(textWidth(cut)).toBeLessThanOrEqual(columns)
})
