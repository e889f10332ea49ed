import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatPath } from './path.ts'

test('names and indices are written as in source text; odd names are quoted', () => {
  expect(formatPath(['a', 3, 'odd key', '"', '', '0', '__proto__'])).toBe('$.a[3]["odd key"]["\\""][""]["0"].__proto__')
  expect(formatPath([])).toBe('$')
  expect(formatPath(['a', 0], 'config')).toBe('config.a[0]')
})

test('a long path keeps both ends', () => {
  const path = Array.from({ length: 10_000 }, (_, index) => (index % 2 ? index : 'name'))
  expect(formatPath(path)).toMatch(/^\$\.name\[1\]\.name.*….*\[9997\]\.name\[9999\]$/)
})

test('any path is bounded and well-formed', () => {
  const step = fc.oneof(fc.nat(), fc.string({ unit: 'binary', maxLength: 200 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (path) => {
      const text = formatPath(path)
      expect(text.length).toBeLessThan(320)
      expect(text.isWellFormed()).toBe(true)
    }),
  )
})
