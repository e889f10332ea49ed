import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findSyntaxProblem } from './json-syntax.ts'

const parses = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // the verdict is all that is asked for
  }
}

test('agrees with JSON.parse on JSON, on broken JSON and on noise', () => {
  const alphabet = fc.constantFrom(...'{}[]",:-+.0123456789eEtruefalsn \n\\u\u0001'.split(''))
  const noise = fc.array(alphabet, { maxLength: 30 }).map((chars) => chars.join(''))
  const broken = fc.tuple(fc.json(), fc.nat(), alphabet).map(([text, at, char]) => {
    const cut = at % (text.length + 1)
    return text.slice(0, cut) + char + text.slice(cut + 1)
  })
  fc.assert(
    fc.property(fc.oneof(fc.json(), noise, broken), (text) => {
      expect(findSyntaxProblem(text) === undefined).toBe(parses(text))
    }),
    { numRuns: 3_000 },
  )
})

test('any depth, in linear time', () => {
  expect(findSyntaxProblem(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)).toBeUndefined()
  expect(findSyntaxProblem('['.repeat(500_000))).toEqual({ offset: 500_000, expected: 'a value or ]' })
})

test('a string that never ends is a problem at the end of the text', () => {
  expect(findSyntaxProblem('{"a":"bc')).toEqual({ offset: 8, expected: 'a value' })
})
