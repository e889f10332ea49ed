import { describe, expect, test } from 'vitest'
import type { JsonSchemaNode } from '../contract/json.ts'
import { ambiguousBranches } from './ambiguity.ts'

describe('ambiguous branches', () => {
  test.each<[JsonSchemaNode[], boolean]>([
    [[{ type: 'integer' }, { type: 'number' }], true],
    [[{ type: 'string' }, { type: 'number' }], false],
    [
      [
        { type: 'string', enum: ['a', 'b'] },
        { type: 'string', enum: ['b'] },
      ],
      true,
    ],
    [
      [
        { type: 'string', enum: ['a'] },
        { type: 'string', enum: ['b'] },
      ],
      false,
    ],
    [[{ type: 'object' }, { type: 'object' }], true],
    [[{}, { type: 'null' }], true],
    [
      [
        { type: 'object', properties: { kind: { type: 'string', const: 'a' } }, required: ['kind'] },
        { type: 'object', properties: { kind: { type: 'string', const: 'b' } }, required: ['kind'] },
      ],
      false,
    ],
    [
      [
        { type: 'object', properties: { a: {} }, additionalProperties: false },
        { type: 'object', properties: { b: {} }, required: ['b'] },
      ],
      false,
    ],
  ])('%j: %s', (oneOf, ambiguous) => {
    expect(ambiguousBranches({ oneOf }).length > 0).toBe(ambiguous)
  })

  test('are found at any depth, with their path and their numbers', () => {
    const oneOf: JsonSchemaNode[] = [{ type: 'string' }, { type: 'integer' }, { type: 'number' }]
    const schema: JsonSchemaNode = { type: 'object', properties: { a: { type: 'array', items: { oneOf } }, __proto: { oneOf } } }
    expect(ambiguousBranches(schema)).toEqual([
      { path: '$.properties.a.items', branches: [1, 2] },
      { path: '$.properties.__proto', branches: [1, 2] },
    ])
  })

  test('a const that is optional tells nothing apart', () => {
    const kind = (value: string): JsonSchemaNode => ({ type: 'object', properties: { kind: { type: 'string', const: value } } })
    expect(ambiguousBranches({ oneOf: [kind('a'), kind('b')] })).toHaveLength(1)
  })
})
