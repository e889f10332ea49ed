import { expect, test } from 'vitest'
import { isBranded } from '../json/brand.ts'
import { compileSchema } from './compile.ts'
import { describeViolations, ToolArgsError, ToolOutputError, validateArgs, validateJsonSchemaValue } from './validate.ts'

const violations = compileSchema({ type: 'array', items: { type: 'string' } }).violations(Array(100).fill(1))

test.each([
  [ToolArgsError, 'ToolArgsError', 'INVALID_ARGS'],
  [ToolOutputError, 'ToolOutputError', 'INVALID_TOOL_OUTPUT'],
] as const)('%o carries code, identity and violations as objects', (Class, name, code) => {
  const error = new Class(violations)
  expect(error).toMatchObject({ name, code, info: { name, code }, violations })
  expect(isBranded(error, name)).toBe(true)
  expect(error.message).toContain('$[0]: expected a string, received the number 1')
})

test('the text for the model names the first few violations and counts the others', () => {
  expect(describeViolations(violations)).toMatch(/^\$\[0\]: .*; \$\[7\]: expected a string, received the number 1\. And 92 more\.$/)
  expect(describeViolations(violations.slice(0, 2))).toMatch(/received the number 1\.$/)
  const long = Array(20).fill({ ...violations[0], message: 'm'.repeat(1_000) })
  expect(describeViolations(long).length).toBeLessThan(3_100)
})

test('what is not lossless JSON fits no schema, and is named with its path', () => {
  expect(validateJsonSchemaValue({}, undefined)).toEqual(['$: is undefined, not JSON'])
  expect(validateJsonSchemaValue({ type: 'object' }, { at: new Date(), n: [-0] }, 'value')).toEqual([
    'value.at: is a Date, not JSON',
    'value.n[0]: is -0, not JSON',
  ])
  expect(validateArgs({ limit: { type: 'integer' } }, { limit: undefined })).toEqual(['$.limit: is undefined, not JSON'])
})

test('arguments are an object, open for what is not declared', () => {
  expect(validateArgs({}, { other: 1 })).toEqual([])
  expect(validateArgs({}, [])).toEqual(['$: expected an object, received an array of 0'])
})
