import { describe, expect, test } from 'vitest'
import type { JsonSchemaNode } from '../contract/json.ts'
import { compileSchema } from './compile.ts'
import { assertObjectJsonSchema, assertSupportedJsonSchema, inspectSchema, JsonSchemaError, readSchema } from './subset.ts'

describe('the subset', () => {
  test('every problem is reported with its path', () => {
    const { issues } = inspectSchema({
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

  test('parts that are not JSON are reported beside everything else', () => {
    const { issues } = inspectSchema({
      type: 'object',
      properties: {
        a: { type: 'string', default: undefined },
        b: { type: 'string', pattern: /x/ },
        c: { type: 'text', [Symbol('s')]: 1 },
        d: new Date(),
        e: { type: 'string', enum: Object.assign(new Array(3), { 0: 'x', 2: 'y' }) },
      },
    })
    expect(issues.map(({ path, message }) => `${path} ${message}`)).toEqual([
      '$.properties.a.default is undefined',
      '$.properties.b.pattern is a RegExp',
      '$.properties.c has the symbol key Symbol(s)',
      '$.properties.d is a Date',
      '$.properties.e.enum[1] is a hole in a sparse array',
      '$.properties.c.type must be one of object, array, string, number, integer, boolean, null',
    ])
  })

  test('exactly 512 levels are allowed, whatever they are made of', () => {
    const wrap: ((inner: JsonSchemaNode) => JsonSchemaNode)[] = [
      (items) => ({ type: 'array', items }),
      (a) => ({ type: 'object', properties: { a } }),
      (branch) => ({ oneOf: [branch, { type: 'null' }] }),
    ]
    for (const around of wrap) {
      let schema: JsonSchemaNode = { type: 'string' }
      for (let level = 0; level < 512; level++) schema = around(schema)
      expect(() => assertSupportedJsonSchema(schema)).not.toThrow()
      expect(() => assertSupportedJsonSchema(around(schema))).toThrow(/nested deeper than 512 levels/)
    }
  })

  test('a schema whose shared parts multiply is refused, quickly', () => {
    let bomb: JsonSchemaNode = { type: 'string' }
    for (let level = 0; level < 100; level++) bomb = { oneOf: [bomb, bomb] }
    expect(() => assertSupportedJsonSchema(bomb)).toThrow(/larger than the limit/)
  })

  test('what is checked is what is enforced: a getter that changes its mind changes nothing', () => {
    let reads = 0
    const shifty = {
      get type() {
        return reads++ === 0 ? 'string' : 'surprise'
      },
    }
    const compiled = compileSchema(shifty as JsonSchemaNode)
    expect([compiled.schema, compiled.accepts('x'), reads]).toEqual([{ type: 'string' }, true, 1])
    expect(Object.isFrozen(compiled.schema)).toBe(true)
    expect(readSchema(compiled.schema)).toBe(compiled.schema)
  })

  test('the message of an error with very many problems is bounded; its issues are whole', () => {
    const properties = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, { type: 'text' }]))
    try {
      assertSupportedJsonSchema({ type: 'object', properties })
      expect.unreachable()
    } catch (error) {
      expect((error as JsonSchemaError).issues).toHaveLength(1_000)
      expect((error as Error).message).toMatch(/and 980 more$/)
    }
  })

  test.each<[string, unknown]>([
    ['required beside another type', { type: 'string', required: [] }],
    ['items beside object', { type: 'object', items: {} }],
    ['enum on an object', { type: 'object', enum: [{}] }],
    ['const without type', { const: 1 }],
    ['oneOf beside type', { type: 'string', oneOf: [{}, {}] }],
    ['oneOf that is no array', { oneOf: {} }],
    ['properties that are an array', { type: 'object', properties: [] }],
    ['additionalProperties that are a schema', { type: 'object', additionalProperties: {} }],
    ['a description that is no text', { description: 1 }],
    ['a type inherited from a prototype', Object.create({ type: 'string' })],
    ['a property inherited from a prototype', { type: 'object', properties: {}, required: ['toString'] }],
  ])('%s is refused', (_what, schema) => {
    expect(() => assertSupportedJsonSchema(schema)).toThrow(JsonSchemaError)
  })
})
