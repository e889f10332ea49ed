import { expect, test } from 'vitest'
import { FAILURES, type FailureCode, failure, isFailureCode } from './failures.ts'

const codes = Object.keys(FAILURES) as FailureCode[]

test('every code fills in tool and detail, and reads well without a detail', () => {
  for (const code of codes) {
    const whole = failure(code, 'grep', 'Because.').message
    expect(whole).toContain('Because.')
    const bare = failure(code, 'grep').message
    for (const message of [whole, bare]) expect(message).not.toMatch(/ {2}|[{}]|^ | $/)
  }
})

test('a hostile name or detail is text: nothing in it is filled in, and a long name is bounded', () => {
  expect(failure('UNKNOWN_TOOL', '{detail}$&', '{tool} $1').message).toBe('There is no tool named "{detail}$&" to call here. {tool} $1')
  expect(failure('UNKNOWN_TOOL', 'x'.repeat(1_000_000)).message.length).toBeLessThan(200)
})

test('a code of the runtime is one by its own name only', () => {
  expect(isFailureCode('DENIED')).toBe(true)
  expect(isFailureCode('toString')).toBe(false)
})
