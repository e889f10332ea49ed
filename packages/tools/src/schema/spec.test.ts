import { describe, expect, test } from 'vitest'
import { parameterSchemaSpecToJsonSchema, valueSchemaSpecToJsonSchema } from './spec.ts'
import { assertObjectJsonSchema, type JsonSchemaError } from './subset.ts'
import { validateArgs } from './validate.ts'

const problemsOf = (compile: () => unknown): string[] => {
  try {
    compile()
  } catch (error) {
    return (error as JsonSchemaError).issues.map(({ path, message }) => `${path} ${message}`)
  }
  return []
}

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
    expect(() => valueSchemaSpecToJsonSchema({ type: 'text' } as never)).toThrow(/\$\.type must be one of/)
    expect(() => parameterSchemaSpecToJsonSchema({ a: new Date() } as never)).toThrow(/\$\.a is a Date/)
    expect(() => parameterSchemaSpecToJsonSchema({ [Symbol('s')]: { type: 'string' } } as never)).toThrow(/symbol key/)
  })

  test('a property may be named __proto__', () => {
    const spec = JSON.parse('{"__proto__":{"type":"string","required":true}}')
    expect(validateArgs(spec, {})).toHaveLength(1)
    expect(validateArgs(spec, JSON.parse('{"__proto__":"x"}'))).toEqual([])
  })

  test('every problem is reported, at its path in the spec', () => {
    const spec = {
      a: { type: 'text' },
      b: { type: 'object', properties: { deep: { type: 'string', required: false }, list: { type: 'array', items: { required: true } } } },
      c: { oneOf: [{ type: 'string', required: true }, { type: 'object' }] },
      d: { type: 'string', enum: [1], default: undefined },
      e: { type: 'json', minLength: 1 },
      f: 'string',
    }
    expect(problemsOf(() => parameterSchemaSpecToJsonSchema(spec as never)).sort()).toEqual([
      '$.a.type must be one of object, array, string, number, integer, boolean, null',
      '$.b is an object that must say additionalProperties: true or false',
      '$.b.properties.deep.required must be true, or be left out; each property says it for itself',
      "$.b.properties.list.items needs type or oneOf: { type: 'json' } takes any value",
      '$.b.properties.list.items.required belongs to a property: only there it says something',
      '$.c.oneOf[0].required belongs to a property: only there it says something',
      '$.c.oneOf[1] is an object that must say additionalProperties: true or false',
      '$.d.default is undefined',
      '$.d.enum[0] must be of type string',
      '$.e.minLength is a keyword that is not enforced here, so it cannot be used',
      '$.f must be a schema object',
    ])
  })

  test("raw JSON Schema's list of required names is refused, not dropped", () => {
    const raw = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
    expect(problemsOf(() => valueSchemaSpecToJsonSchema(raw as never))).toEqual([
      '$.required belongs to a property: only there it says something',
    ])
    expect(problemsOf(() => parameterSchemaSpecToJsonSchema({ raw } as never))).toEqual([
      '$.raw.required must be true, or be left out; each property says it for itself',
    ])
  })

  test('only own enumerable text keys and dense built-in arrays make a spec', () => {
    class Spec {
      type = 'string'
    }
    const hidden = Object.defineProperty({ type: 'string' }, 'enum', { value: ['a'], enumerable: false })
    class List extends Array {}
    const enums = List.from(['a'])
    const bad: unknown[] = [
      new Spec(),
      hidden,
      { type: 'string', enum: enums },
      { type: 'string', enum: Object.assign(new Array(3), { 0: 'a', 2: 'b' }) },
    ]
    for (const spec of bad) expect(problemsOf(() => valueSchemaSpecToJsonSchema(spec as never))).toHaveLength(1)
    expect(problemsOf(() => valueSchemaSpecToJsonSchema(Object.create({ type: 'string' })))).toHaveLength(1)
    expect(problemsOf(() => parameterSchemaSpecToJsonSchema([] as never))).toEqual(['$ must be an object of properties'])
    expect(problemsOf(() => parameterSchemaSpecToJsonSchema(undefined as never))).toEqual(['$ is undefined'])
  })

  test.each(['__proto__', 'constructor', 'toString', 'required', 'type', 'oneOf'])('a property may be named %s', (name) => {
    const spec = Object.fromEntries([[name, { type: 'string', required: true }]]) as never
    expect(Object.keys(parameterSchemaSpecToJsonSchema(spec).properties ?? {})).toEqual([name])
    expect(validateArgs(spec, {})).toHaveLength(1)
    expect(validateArgs(spec, Object.fromEntries([[name, 'x']]))).toEqual([])
    const nested = { type: 'object', properties: spec, additionalProperties: false } as never
    expect(valueSchemaSpecToJsonSchema(nested).required).toEqual([name])
  })

  test('a cyclic spec and one too deep are refused, without overflow', () => {
    const cyclic: Record<string, unknown> = { type: 'array' }
    cyclic['items'] = cyclic
    expect(problemsOf(() => valueSchemaSpecToJsonSchema(cyclic as never))[0]).toMatch(/cycle/)
    let deep: unknown = { type: 'string' }
    for (let level = 0; level < 50_000; level++) deep = { type: 'array', items: deep }
    expect(problemsOf(() => valueSchemaSpecToJsonSchema(deep as never))[0]).toMatch(/nested deeper than 512/)
  })

  test('what is lowered is a schema also where it is as deep as one may be', () => {
    const around = (levels: number) => {
      let spec: unknown = { type: 'string' }
      for (let level = 0; level < levels; level++) spec = { type: 'array', items: spec }
      return { deep: spec } as never
    }
    const schema = parameterSchemaSpecToJsonSchema(around(511))
    expect(() => assertObjectJsonSchema(JSON.parse(JSON.stringify(schema)) as unknown)).not.toThrow()
    expect(problemsOf(() => parameterSchemaSpecToJsonSchema(around(512)))[0]).toMatch(/nested deeper than 512/)
  })
})
