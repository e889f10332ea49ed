import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rawMember } from './raw-member.ts'

test('gives a member as it stands', () => {
  expect(rawMember('{"a":1,"arguments": {"n": 9007199254740993, "s":"}\\"{"} }', 'arguments')).toBe('{"n": 9007199254740993, "s":"}\\"{"}')
  expect(rawMember('{"a":1}', 'arguments')).toBeUndefined()
  expect(rawMember('{}', 'arguments')).toBeUndefined()
  expect(rawMember('{"x":{"arguments":1},"\\u0061rguments" : [2 , 3] }', 'arguments')).toBe('[2 , 3]')
  expect(rawMember('{"arguments":1,"arguments":-2.50}', 'arguments')).toBe('-2.50')
})

test('agrees with JSON.parse on any object', () => {
  const spaced = fc.constantFrom(undefined, 1, 3)
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), spaced, (others, name, value, indent) => {
      const json = JSON.stringify({ ...others, [`k${name}`]: value }, null, indent)
      expect(JSON.parse(rawMember(json, `k${name}`) as string)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('takes long strings and deep values as they come', () => {
  const long = JSON.stringify('\\"'.repeat(5_000_000))
  expect(rawMember(`{"arguments":${long}}`, 'arguments') === long).toBe(true)
  const deep = '['.repeat(50_000) + ']'.repeat(50_000)
  expect(rawMember(`{"a":${deep},"arguments":${deep}}`, 'arguments') === deep).toBe(true)
})
