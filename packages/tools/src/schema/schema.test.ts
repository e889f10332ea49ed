import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonSchemaNode } from '../contract/json.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { ambiguousBranches } from './ambiguity.ts'
import { compileSchema } from './compile.ts'
import { parameterSchemaSpecToJsonSchema, valueSchemaSpecToJsonSchema } from './spec.ts'
import { assertObjectJsonSchema, assertSupportedJsonSchema, JsonSchemaError, schemaIssues } from './subset.ts'
import { validateArgs, validateJsonSchemaValue } from './validate.ts'

describe('equality and types', () => {
  const accepts = (schema: JsonSchemaNode, value: unknown) => validateJsonSchemaValue(schema, value).length === 0

  test('1.0 and 1e3 are integers, 1.5 is none', () => {
    expect([JSON.parse('1.0'), JSON.parse('1e3'), 1.5].map((value) => accepts({ type: 'integer' }, value))).toEqual([true, true, false])
  })

  test('enum and const compare by value, without coercion', () => {
    expect([0, '0', false, null].map((value) => accepts({ type: 'integer', const: 0 }, value))).toEqual([true, false, false, false])
    expect([1, '1', true].map((value) => accepts({ type: 'string', enum: ['1', '2'] }, value))).toEqual([false, true, false])
  })

  test('property names compare by code unit: no normalisation', () => {
    const schema = { type: 'object', properties: { é: {} }, additionalProperties: false } as const
    expect(accepts(schema, { é: 1 })).toBe(true)
    expect(accepts(schema, { 'e\u0301': 1 })).toBe(false)
  })

  test.each(['__proto__', 'constructor', 'toString'])('%s is an ordinary name: only own properties count', (name) => {
    const required = {
      type: 'object',
      properties: Object.fromEntries([[name, { type: 'string' }]]),
      required: [name],
    } as unknown as JsonSchemaNode
    expect(accepts(required, {})).toBe(false)
    expect(accepts(required, Object.fromEntries([[name, 'x']]))).toBe(true)
    expect(accepts(required, Object.fromEntries([[name, 1]]))).toBe(false)
    const closed = { type: 'object', properties: {}, additionalProperties: false } as const
    expect(accepts(closed, Object.fromEntries([[name, 1]]))).toBe(false)
  })

  test('oneOf takes exactly one match', () => {
    const schema = { oneOf: [{ type: 'integer' }, { type: 'number' }, { type: 'string' }] } as const
    expect([1, 1.5, 'x', null].map((value) => accepts(schema, value))).toEqual([false, true, true, false])
  })

  test('an annotation-only node takes any JSON', () => {
    expect([null, 1, [], {}].map((value) => accepts({ description: 'anything' }, value))).toEqual([true, true, true, true])
  })
})

describe('violations', () => {
  test('carry path, what was expected and what was received, and all are collected', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' }, list: { type: 'array', items: { type: 'string' } } },
      required: ['a', 'b'].slice(0, 1),
    } as const
    const found = compileSchema(schema).violations({ list: ['x', 1, null], a: 'long '.repeat(100) })
    expect(found.map(({ path, expected }) => [path, expected])).toEqual([
      ['$.a', 'an integer'],
      ['$.list[1]', 'a string'],
      ['$.list[2]', 'a string'],
    ])
    expect(found[0]?.received).toMatch(/^the string "long /)
    expect(found[0]?.received.length).toBeLessThan(100)
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
      '$.n: expected a value, because it is required, received nothing',
    ])
  })

  test('the branch that a value was meant for explains what is wrong', () => {
    const schema = { oneOf: [{ type: 'string' }, { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }] } as const
    expect(validateJsonSchemaValue(schema, { n: 'x' })).toEqual([expect.stringContaining('$.n: expected an integer')])
  })

  test('are bounded however much is wrong', () => {
    const found = compileSchema({ type: 'array', items: { type: 'string' } }).violations(Array(100_000).fill(1))
    expect(found.length).toBeLessThanOrEqual(20)
  })
})

describe('compilation', () => {
  test('uses no eval and no new Function', () => {
    const original = globalThis.Function
    globalThis.Function = (() => {
      throw new Error('code generation')
    }) as never
    try {
      expect(compileSchema({ type: 'object', properties: { a: { type: 'string' } } }).accepts({ a: 'x' })).toBe(true)
    } finally {
      globalThis.Function = original
    }
  })

  test('a snapshot is validated once: the verdict is remembered', () => {
    let reads = 0
    const schema = compileSchema({ type: 'object', properties: { a: { type: 'string' } } })
    const value = snapshotJson({ a: 'x' })
    const counting = {
      get a() {
        return reads++ ? 'x' : 'x'
      },
    }
    expect([schema.accepts(value), schema.accepts(value)]).toEqual([true, true])
    schema.accepts(counting)
    schema.accepts(counting)
    expect(reads).toBe(2)
  })

  test('a schema 400 levels deep validates a value as deep', () => {
    let schema: JsonSchemaNode = { type: 'integer' }
    let good: unknown = 1
    let bad: unknown = 'x'
    for (let level = 0; level < 400; level++) {
      schema = { type: 'object', properties: { a: schema }, required: ['a'] }
      good = { a: good }
      bad = { a: bad }
    }
    const compiled = compileSchema(schema)
    expect(compiled.accepts(good)).toBe(true)
    expect(compiled.violations(bad)).toHaveLength(1)
  })

  test('agrees with a naive model', () => {
    fc.assert(
      fc.property(schemas, fc.jsonValue({ maxDepth: 3 }), values, (schema, json, value) => {
        for (const candidate of [json, value]) {
          const expected = naive(schema, candidate)
          const compiled = compileSchema(schema)
          expect(compiled.accepts(candidate)).toBe(expected)
          expect(compiled.violations(candidate).length === 0).toBe(expected)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('the subset', () => {
  test('every problem is reported with its path', () => {
    const issues = schemaIssues({
      type: 'object',
      properties: { a: { type: ['string', 'null'] }, b: { type: 'string', minLength: 1 }, c: { type: 'array', items: [] }, 'odd name': 1 },
      required: ['x', 'a', 'a'],
      oneOf: [{}],
    })
    expect(issues.map((issue) => issue.path)).toEqual([
      '$.oneOf',
      '$.properties.a.type',
      '$.properties.b.minLength',
      '$.properties.c.items',
      '$.properties["odd name"]',
      '$.required[0]',
      '$.required[2]',
    ])
  })

  test('a cyclic schema, and one too deep to compile, are refused', () => {
    const cyclic: Record<string, unknown> = { type: 'array' }
    cyclic['items'] = cyclic
    expect(() => assertSupportedJsonSchema(cyclic)).toThrow(/cycle/)
    let deep: JsonSchemaNode = {}
    for (let level = 0; level < 5_000; level++) deep = { type: 'array', items: deep }
    expect(() => assertSupportedJsonSchema(deep)).toThrow(/nested deeper/)
  })

  test.each([
    [true],
    [null],
    ['string'],
    [[]],
    [{ type: 'string', enum: [] }],
    [{ type: 'string', enum: ['a', 'a'] }],
    [{ type: 'integer', const: 1.5 }],
    [{ enum: [1] }],
    [{ oneOf: [{ type: 'string' }] }],
    [{ type: 'string', default: undefined }],
  ])('%j is refused', (schema) => {
    expect(() => assertSupportedJsonSchema(schema)).toThrow(JsonSchemaError)
  })

  test('an object root is asked for where it is needed', () => {
    expect(() => assertObjectJsonSchema({ type: 'array' })).toThrow(/object/)
    expect(() => assertObjectJsonSchema({ type: 'object' })).not.toThrow()
  })
})

describe("the author's DSL", () => {
  test('parameters are an open object; required is said per property', () => {
    const schema = parameterSchemaSpecToJsonSchema({
      path: { type: 'string', description: 'where', required: true },
      options: {
        type: 'object',
        properties: { deep: { type: 'boolean', required: true }, any: { type: 'json', title: 'any' } },
        additionalProperties: false,
      },
      pick: { oneOf: [{ type: 'string' }, { type: 'null' }] },
    })
    expect(schema).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'where' },
        options: {
          type: 'object',
          properties: { deep: { type: 'boolean' }, any: { title: 'any' } },
          required: ['deep'],
          additionalProperties: false,
        },
        pick: { oneOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['path'],
    })
    expect(Object.isFrozen(schema.properties)).toBe(true)
  })

  test('a malformed spec is refused with its path', () => {
    expect(() => valueSchemaSpecToJsonSchema({ type: 'object', properties: {} } as never)).toThrow(/additionalProperties/)
    expect(() => parameterSchemaSpecToJsonSchema({ a: { type: 'string', required: false } } as never)).toThrow(/\$\.a\.required/)
    expect(() => valueSchemaSpecToJsonSchema({ type: 'text' } as never)).toThrow(JsonSchemaError)
    expect(() => parameterSchemaSpecToJsonSchema({ a: new Date() } as never)).toThrow(/\$\.a is a Date/)
    expect(() => parameterSchemaSpecToJsonSchema({ [Symbol('s')]: { type: 'string' } } as never)).toThrow(/symbol key/)
  })

  test('a property may be named __proto__', () => {
    const spec = JSON.parse('{"__proto__":{"type":"string","required":true}}')
    expect(validateArgs(spec, {})).toHaveLength(1)
    expect(validateArgs(spec, JSON.parse('{"__proto__":"x"}'))).toEqual([])
  })
})

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
})

const scalar = fc.constantFrom<JsonSchemaNode>(
  { type: 'string' },
  { type: 'number' },
  { type: 'integer' },
  { type: 'boolean' },
  { type: 'null' },
  {},
  { type: 'string', enum: ['a', 'b'] },
  { type: 'integer', const: 1 },
)
const name = fc.constantFrom('a', 'b', '__proto__', 'constructor')
const schemas = fc.letrec<{ node: JsonSchemaNode }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.record({ type: fc.constant('array' as const), items: tie('node') }),
    fc.record({ oneOf: fc.tuple(tie('node'), tie('node')) }),
    fc.tuple(fc.dictionary(name, tie('node'), { maxKeys: 3 }), fc.boolean(), fc.boolean()).map(
      ([properties, closed, all]): JsonSchemaNode => ({
        type: 'object',
        properties,
        required: all ? Object.keys(properties) : [],
        additionalProperties: !closed,
      }),
    ),
  ),
})).node
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'z', 1, 2.5, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value

/** The subset, said as plainly as it can be. */
function naive(node: JsonSchemaNode, value: unknown): boolean {
  if (node.oneOf) return node.oneOf.filter((branch) => naive(branch, value)).length === 1
  if (node.type === undefined) return true
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  const fits = node.type === type || (node.type === 'integer' && Number.isInteger(value))
  if (!fits) return false
  if ('const' in node && value !== node.const) return false
  if (node.enum && !node.enum.includes(value as never)) return false
  if (node.type === 'array') return (value as unknown[]).every((item) => naive(node.items ?? {}, item))
  if (node.type !== 'object') return true
  const entries = Object.entries(value as object)
  const property = (key: string) => Object.entries(node.properties ?? {}).find(([known]) => known === key)?.[1]
  if ((node.required ?? []).some((key) => !entries.some(([own]) => own === key))) return false
  return entries.every(([key, item]) => {
    const schema = property(key)
    return schema ? naive(schema, item) : node.additionalProperties !== false
  })
}
