import { expect, test } from 'vitest'
import { printablePath } from './printable-path.ts'

test.each(['src/a.ts', '中文/名.md', '😀.txt', 'a b.txt', '-dash'])('%s is shown as it is', (path) => {
  expect(printablePath(path)).toBe(path)
})

test.each(['a\nb', ' a', 'a ', '"a"', 'a\u2028b', 'a\u001b[31m'])('%j is quoted, so that it stays one unmistakable line', (path) => {
  expect(JSON.parse(printablePath(path))).toBe(path)
  expect(printablePath(path)).not.toContain('\n')
})
