import { expect, test } from 'vitest'
import { nearestNames } from './nearest-names.ts'

test('typing mistakes, other cases and other extensions find the name that was meant', () => {
  const names = ['index.ts', 'README.md', 'package.json', 'tool-set.ts']
  expect(nearestNames('indx.ts', names)).toEqual(['index.ts'])
  expect(nearestNames('readme.MD', names)).toEqual(['README.md'])
  expect(nearestNames('toolset.ts', names)).toEqual(['tool-set.ts'])
  expect(nearestNames('scr', ['src', 'lib'])).toEqual(['src'])
  expect(nearestNames('package.yaml', names)).toEqual(['package.json'])
})

test('a name that is nothing like the others finds none', () => {
  expect(nearestNames('zebra.png', ['index.ts', 'README.md'])).toEqual([])
})

test('the closest three come first', () => {
  expect(nearestNames('test1.ts', ['test4.ts', 'test3.ts', 'test2.ts', 'test12.ts', 'TEST1.ts'])).toEqual([
    'TEST1.ts',
    'test12.ts',
    'test2.ts',
  ])
})
