import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MatchShortener } from './match-shortener.ts'

const record = (lines: string, submatches: readonly { text: string; start: number; end: number }[]) => ({
  type: 'match',
  data: {
    path: { text: './a.ts' },
    lines: { text: lines },
    line_number: 7,
    absolute_offset: 99,
    submatches: submatches.map(({ text, ...at }) => ({ match: { text }, ...at })),
  },
})

function shorten(value: unknown, chunk: number): ReturnType<typeof record> {
  const shortener = new MatchShortener()
  const bytes = Buffer.from(JSON.stringify(value))
  for (let at = 0; at < bytes.length; at += chunk) shortener.push(bytes.subarray(at, at + chunk))
  return JSON.parse(shortener.end().toString())
}

test('a short record with one match comes out as it was', () => {
  const value = record('say "hi" \\ [{}] 中😀\n', [{ text: 'hi', start: 5, end: 7 }])
  expect(shorten(value, 3)).toEqual(value)
})

test('a record without submatches comes out as it was', () => {
  expect(shorten(record('abc\n', []), 5)).toEqual(record('abc\n', []))
})

test('long strings keep their beginning, and of many submatches the first is kept', () => {
  const long = 'x"\\\n'.repeat(50_000)
  const many = Array.from({ length: 20_000 }, (_, n) => ({ text: 'x', start: n, end: n + 1 }))
  const short = shorten(record(long, many), 65_536)
  expect(short.data).toMatchObject({ path: { text: './a.ts' }, line_number: 7, absolute_offset: 99 })
  expect(short.data.submatches).toEqual([{ match: { text: 'x' }, start: 0, end: 1 }])
  expect(long.startsWith(short.data.lines.text)).toBe(true)
  expect(short.data.lines.text.length).toBeGreaterThan(10_000)
})

test('an escape at the limit is kept whole or not at all, wherever the pieces are cut', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 32_750, max: 32_770 }),
      fc.constantFrom('"', '\\', '\u0001', 'é', '😀'),
      fc.integer({ min: 1, max: 7 }),
      (pad, odd, chunk) => {
        const short = shorten(record(`${'a'.repeat(pad)}${odd.repeat(9)}`, [{ text: 'a', start: 0, end: 1 }]), chunk)
        expect(short.data.lines.text.startsWith('a'.repeat(pad - 20))).toBe(true)
        expect(short.data.line_number).toBe(7)
      },
    ),
    { numRuns: 30 },
  )
})
