import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { parseGlob } from './glob-pattern.ts'

const fits = (pattern: string, ...paths: string[]) => paths.filter((path) => parseGlob(pattern).matches(path))

test('a pattern without a slash fits a name at any depth', () => {
  expect(fits('*.ts', 'a.ts', 'src/deep/b.ts', 'a.tsx', 'ts')).toEqual(['a.ts', 'src/deep/b.ts'])
})

test('a pattern with a slash begins at the searched folder', () => {
  expect(fits('src/*.ts', 'src/a.ts', 'src/deep/b.ts', 'lib/src/c.ts')).toEqual(['src/a.ts'])
  expect(fits('/*.ts', 'a.ts', 'src/b.ts')).toEqual(['a.ts'])
  expect(fits('./*.ts', 'a.ts', 'src/b.ts')).toEqual(['a.ts'])
})

test('** spans any number of folders, also none', () => {
  expect(fits('src/**/*.ts', 'src/a.ts', 'src/x/y/b.ts', 'a.ts')).toEqual(['src/a.ts', 'src/x/y/b.ts'])
  expect(fits('**/a.ts', 'a.ts', 'x/a.ts')).toEqual(['a.ts', 'x/a.ts'])
  expect(fits('**', 'a', 'x/y')).toEqual(['a', 'x/y'])
  expect(fits('a/**/b/**/c', 'a/b/c', 'a/x/b/y/b/z/c', 'a/b')).toEqual(['a/b/c', 'a/x/b/y/b/z/c'])
})

test('what lies below a folder does not include a file of its name', () => {
  expect(fits('src/**', 'src/a', 'src/x/b', 'src')).toEqual(['src/a', 'src/x/b'])
  expect(fits('src/', 'src/a', 'lib/src/b')).toEqual(['src/a', 'lib/src/b'])
})

test('? is one character, also beyond the basic plane', () => {
  expect(fits('?.md', 'a.md', '😀.md', '中.md', 'ab.md', '.md')).toEqual(['a.md', '😀.md', '中.md'])
})

test('classes hold ranges, may be negated, and may hold brackets', () => {
  expect(fits('[a-c].x', 'a.x', 'c.x', 'd.x')).toEqual(['a.x', 'c.x'])
  expect(fits('[!a-c].x', 'a.x', 'd.x')).toEqual(['d.x'])
  expect(fits('[^a].x', 'a.x', 'd.x')).toEqual(['d.x'])
  expect(fits('[]].x', '].x', 'a.x')).toEqual(['].x'])
  expect(fits('[{,}].x', '{.x', ',.x', 'a.x')).toEqual(['{.x', ',.x'])
  expect(fits('[a-].x', '-.x', 'b.x')).toEqual(['-.x'])
})

test('braces are alternatives, nested and across slashes', () => {
  expect(fits('*.{ts,tsx}', 'a.ts', 'b.tsx', 'c.js')).toEqual(['a.ts', 'b.tsx'])
  expect(fits('{src/{a,b},lib/**}/*.ts', 'src/a/x.ts', 'src/b/x.ts', 'src/c/x.ts', 'lib/q/x.ts')).toEqual([
    'src/a/x.ts',
    'src/b/x.ts',
    'lib/q/x.ts',
  ])
  expect(fits('a{,.bak}', 'a', 'a.bak')).toEqual(['a', 'a.bak'])
})

test('a backslash makes a character of what follows', () => {
  expect(fits('\\*.ts', '*.ts', 'a.ts')).toEqual(['*.ts'])
  expect(fits('\\{a\\}', '{a}', 'a')).toEqual(['{a}'])
  expect(fits('\\[x\\]', '[x]', 'x')).toEqual(['[x]'])
})

test('wildcards do not fit hidden names; a spelled dot does', () => {
  const paths = ['.env', 'src/.env', '.github/a.yml', '.github/.secret', 'src/a.yml']
  expect(fits('**', ...paths)).toEqual(['src/a.yml'])
  expect(fits('*env', ...paths)).toEqual([])
  expect(fits('[.]env', ...paths)).toEqual([])
  expect(fits('.env', ...paths)).toEqual(['.env', 'src/.env'])
  expect(fits('.github/**', ...paths)).toEqual(['.github/a.yml'])
  expect(fits('.*/*', ...paths)).toEqual(['.github/a.yml'])
})

test('a leading ! turns it round, and leaves hidden names out', () => {
  expect(fits('!*.ts', 'a.ts', 'b.js', '.env', 'x/y.md')).toEqual(['b.js', 'x/y.md'])
})

test.each([
  ['', 'is empty'],
  ['a/../b', 'climbs'],
  ['[ab', 'no "]"'],
  ['{a,b', 'no "}"'],
  ['a}', 'no "{"'],
  ['{a,b}'.repeat(9), 'more than 256'],
  ['x'.repeat(1_001), 'longer than'],
])('the glob %j is refused with a reason', (pattern, reason) => {
  expect(() => parseGlob(pattern)).toThrow(expect.objectContaining({ code: 'INVALID_PATTERN', message: expect.stringContaining(reason) }))
})

test('no pattern can hang the search', () => {
  const started = performance.now()
  expect(parseGlob(`${'*a'.repeat(100)}b`).matches('a'.repeat(4_000))).toBe(false)
  expect(parseGlob(`${'**/a/'.repeat(50)}b`).matches('a/'.repeat(500))).toBe(false)
  expect(performance.now() - started).toBeLessThan(2_000)
})
