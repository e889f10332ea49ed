import { describe, expect, test } from 'vitest'
import type { JsonSchemaNode } from '../contract/json.ts'
import { compileSchema } from './compile.ts'
import { validateArgs, validateJsonSchemaValue } from './validate.ts'

describe('violations', () => {
  test('carry path, what was expected and what was received, and all are collected', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' }, list: { type: 'array', items: { type: 'string' } } },
      required: ['a', 'b'].slice(0, 1),
    } as const
    const found = compileSchema(schema).violations({ list: ['x', 1, null], a: 'long '.repeat(100) })
    expect(found.map(({ path, expected }) => [path, expected])).toEqual([
      ['$.list[1]', 'a string'],
      ['$.list[2]', 'a string'],
      ['$.a', 'an integer'],
    ])
    expect(found[2]?.received).toMatch(/^the string "long /)
    expect(found[2]?.received.length).toBeLessThan(100)
  })

  test.each<[JsonSchemaNode, unknown, boolean]>([
    [{ type: 'array' }, '["a"]', true],
    [{ type: 'object' }, '{"a":1}', true],
    [{ type: 'number' }, '1.5', true],
    [{ type: 'integer' }, '1.5', false],
    [{ type: 'array' }, '{"a":1}', false],
    [{ type: 'array' }, 'not json', false],
  ])('a string that parses as what was expected earns a hint: %j %j', (schema, value, hinted) => {
    const [violation] = compileSchema(schema).violations(value)
    expect(violation?.hint !== undefined).toBe(hinted)
  })

  test('are path-qualified texts, from the root that was given; an empty array is valid', () => {
    expect(validateJsonSchemaValue({ type: 'string' }, 1, 'config.name')).toEqual(['config.name: expected a string, received the number 1'])
    expect(validateArgs({ n: { type: 'integer', required: true } }, { n: 1 })).toEqual([])
    expect(validateArgs({ n: { type: 'integer', required: true } }, {})).toEqual([
      '$.n: expected an integer, because it is required, received nothing',
    ])
  })

  test('the branch that a value was meant for explains what is wrong', () => {
    const schema = { oneOf: [{ type: 'string' }, { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }] } as const
    expect(validateJsonSchemaValue(schema, { n: 'x' })).toEqual([expect.stringContaining('$.n: expected an integer')])
  })

  test('are bounded however much is wrong', () => {
    const found = compileSchema({ type: 'array', items: { type: 'string' } }).violations(Array(100_000).fill(1))
    expect(found.length).toBe(21)
    expect(found.at(-1)).toMatchObject({ more: 99_980, message: '$: and 99980 more problems' })
  })

  test.each<[JsonSchemaNode['type'], string, boolean]>([
    ['boolean', 'true', true],
    ['null', 'null', true],
    ['integer', '7', true],
    ['boolean', 'yes', false],
    ['integer', '"7"', false],
  ])('a text where %s was expected: %s earns a hint: %s', (type, text, hinted) => {
    const [violation] = compileSchema({ type: type as 'null' }).violations(text)
    expect(violation?.hint).toEqual(hinted ? `the text holds one: send the ${type} itself, not its JSON in a string` : undefined)
    if (hinted) expect(violation?.message).toContain(violation?.hint)
  })

  test('a text that holds what a branch of oneOf takes earns the hint, too', () => {
    expect(validateJsonSchemaValue({ oneOf: [{ type: 'array' }, { type: 'null' }] }, '["a"]')[0]).toMatch(/send the array itself/)
  })

  const kind = (value: string, rest: Record<string, JsonSchemaNode>): JsonSchemaNode => ({
    type: 'object',
    properties: { kind: { type: 'string', const: value }, ...rest },
    required: ['kind', ...Object.keys(rest)],
    additionalProperties: false,
  })
  const union: JsonSchemaNode = { oneOf: [kind('file', { path: { type: 'string' } }), kind('url', { url: { type: 'string' } })] }

  test('the branch whose tag a value has explains what is wrong with it', () => {
    expect(validateJsonSchemaValue(union, { kind: 'url', url: 1 })).toEqual(['$.url: expected a string, received the number 1'])
    expect(validateJsonSchemaValue({ type: 'array', items: union }, [{ kind: 'file' }])).toEqual([
      '$[0].path: expected a string, because it is required, received nothing',
    ])
  })

  test('a tag that no branch has is what is wrong', () => {
    expect(validateJsonSchemaValue(union, { kind: 'ftp' })).toEqual(['$.kind: expected "file" or "url", received the string "ftp"'])
    expect(validateJsonSchemaValue(union, {})).toEqual(['$.kind: expected "file" or "url", received nothing'])
  })

  test('without a tag, the branches are named by what they need', () => {
    const schema: JsonSchemaNode = {
      oneOf: [
        { type: 'object', properties: { a: {} }, required: ['a'] },
        { type: 'object', properties: { b: {} }, required: ['b'] },
      ],
    }
    expect(validateJsonSchemaValue(schema, { c: 1 })).toEqual([
      '$: expected an object with a or an object with b, received an object with c',
    ])
    expect(validateJsonSchemaValue(schema, { a: 1, b: 1 })[0]).toMatch(/exactly one kind, and it fits kinds 0 and 1 of 2/)
  })

  test('messages are bounded, however long names, values and lists are, and never cut a pair', () => {
    const long = `${'n'.repeat(36)}${'😀'.repeat(50)}`
    const names = Array.from({ length: 1_000 }, (_, index) => long + index)
    let schema: JsonSchemaNode = {
      oneOf: [
        { type: 'string', enum: names },
        { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])), required: names },
      ],
    }
    let value: unknown = long
    for (let level = 0; level < 100; level++) {
      schema = { type: 'object', properties: Object.fromEntries([[long, schema]]), additionalProperties: false }
      value = Object.fromEntries([[long, value]])
    }
    const [violation] = compileSchema(schema).violations(value)
    expect(violation?.message.length).toBeLessThan(800)
    expect(violation?.message.isWellFormed()).toBe(true)
    expect(violation?.path.length).toBeLessThan(330)
    const [received] = compileSchema({ type: 'string' }).violations(Object.fromEntries(names.map((name) => [name, 1])))
    expect(received?.received).toMatch(/and 990 more$/)
    expect(received?.received.length).toBeLessThan(500)
    expect(received?.received.isWellFormed()).toBe(true)
  })

  test('a value of any depth where a scalar was expected is described without a walk', () => {
    let deep: unknown = 1
    for (let level = 0; level < 200_000; level++) deep = [deep]
    expect(compileSchema({ type: 'array', items: { type: 'string' } }).violations(deep)[0]?.received).toBe('an array of 1')
    expect(compileSchema({ type: 'array', items: {} }).accepts(deep)).toBe(true)
  })
})
