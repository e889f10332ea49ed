import { expect, test } from 'vitest'
import { WholeCharacters } from './whole-characters.ts'

/** What is written for each of these pieces, and at the end. */
function written(...pieces: readonly string[]): readonly string[] {
  let now = ''
  const stream = new WholeCharacters((text) => {
    now += text
  })
  const steps = [...pieces.map((piece) => () => stream.add(piece)), () => stream.end()]
  return steps.map((step) => {
    now = ''
    step()
    return now
  })
}

test('a text without spaces is seen as it comes', () => {
  expect(written('我来看', '看', '。')).toEqual(['我来', '看', '看', '。'])
  expect(written('Hel', 'lo wor', 'ld')).toEqual(['He', 'llo wo', 'rl', 'd'])
})

test.each([
  ['a pair of surrogates', 'a\ud83d', '\ude00'],
  ['an emoji of several', 'a👩\u200d', '👩\u200d👧'],
  ['an accent', 'ae', '\u0301'],
  ['a line break', 'a\r', '\n'],
])('%s that two pieces share is written whole', (_what, first, second) => {
  expect(written(first, second)).toEqual(['a', '', `${first}${second}`.slice(1)])
})

test('pieces that are empty change nothing', () => {
  expect(written('', 'ab', '', 'c')).toEqual(['', 'a', '', 'b', 'c'])
  expect(written()).toEqual([''])
})

test('a long text in small pieces takes time in proportion to its length', () => {
  let length = 0
  const stream = new WholeCharacters((text) => {
    length += text.length
  })
  for (let at = 0; at < 200_000; at++) stream.add('长')
  stream.end()
  expect(length).toBe(200_000)
})
