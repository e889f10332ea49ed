import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../test/temp-folder.ts'
import { checkConfig } from './config.ts'

test('limits that are not given are the defaults', async () => {
  const root = await tempFolder()
  expect(checkConfig({ root, limits: { globPaths: 7 } })).toEqual({
    root,
    readOnly: false,
    limits: {
      readLines: 2_000,
      readLineChars: 2_000,
      readBytes: 49_152,
      readImageBytes: 3_932_160,
      readImageSide: 8_000,
      globPaths: 7,
      grepMatches: 250,
      grepLineChars: 2_000,
      editBytes: 67_108_864,
    },
  })
})

test('every problem of a configuration is named at once', async () => {
  const broken = { root: 'relative', limits: { readLines: 0, globPaths: 1.5, grepmatches: 3 }, extra: 1 } as never
  expect(() => checkConfig(broken)).toThrow(TypeError)
  for (const problem of ['extra is not a setting', 'root must be absolute', 'limits.grepmatches', 'limits.readLines', 'limits.globPaths']) {
    expect(() => checkConfig(broken)).toThrow(problem)
  }
})

test.each([
  undefined,
  null,
  'x',
  {},
  { root: '' },
  { root: 7 },
  { root: '/no/such/folder' },
  { root: '/a\0b' },
  { root: '/', limits: 3 },
  { root: '/', limits: [] },
])('%j is refused', (config) => {
  expect(() => checkConfig(config as never)).toThrow('The file tools cannot be set up')
})

test('a root that is a file, lies below one, or cannot be reached is refused', async () => {
  const root = await tempFolder({ a: '' })
  for (const path of ['a', 'a/b', 'x'.repeat(300)])
    expect(() => checkConfig({ root: join(root, path) })).toThrow('must be a folder that exists')
})
