import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { JsonSchemaNode } from '../contract/json.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { compileSchema } from './compile.ts'
import { validateJsonSchemaValue } from './validate.ts'

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

describe('compilation', () => {
  test('uses no eval and no new Function', () => {
    const generated = vi.fn(() => {
      throw new Error('code generation')
    })
    vi.stubGlobal('Function', generated)
    vi.stubGlobal('eval', generated)
    try {
      expect(compileSchema({ type: 'object', properties: { a: { type: 'string' } } }).accepts({ a: 'x' })).toBe(true)
    } finally {
      vi.unstubAllGlobals()
    }
    expect(generated).not.toHaveBeenCalled()
  })

  test('a frozen value that was accepted is not walked again; one that can change is', () => {
    const schema = compileSchema({ type: 'object', properties: { a: { type: 'string', enum: ['the only one'] } }, required: ['a'] })
    const look = vi.spyOn(Array.prototype, 'includes') // how a value is looked for in an enum
    const looksAt = (value: unknown): [boolean, boolean] => {
      look.mockClear()
      return [schema.accepts(value), look.mock.calls.some(([sought]) => sought === 'the only one')]
    }
    const snapshot = snapshotJson({ a: 'the only one' })
    const mutable: Record<string, unknown> = Object.freeze({ a: 'the only one' })
    const refused = snapshotJson({ a: 1 })
    expect([looksAt(snapshot), looksAt(snapshot)]).toEqual([
      [true, true],
      [true, false],
    ])
    expect([looksAt(mutable), looksAt(mutable)]).toEqual([
      [true, true],
      [true, true],
    ])
    expect([looksAt(refused)[0], looksAt(refused)[0]]).toEqual([false, false])
  })

  test('an acceptance by one schema says nothing to another', () => {
    const value = snapshotJson({ a: 'x' })
    expect(compileSchema({ type: 'object', properties: { a: { type: 'string' } } }).accepts(value)).toBe(true)
    expect(compileSchema({ type: 'object', properties: { a: { type: 'integer' } } }).accepts(value)).toBe(false)
  })

  test('a frozen schema is compiled once', () => {
    const { schema } = compileSchema({ type: 'string' })
    expect(compileSchema(schema)).toBe(compileSchema(schema))
  })

  test('an accepted value costs linear time: every entry is looked at once', () => {
    const read = vi.fn(() => 'x')
    const item = Object.defineProperty({}, 'a', { get: read, enumerable: true })
    const list = Array.from({ length: 100 }, () => item)
    const schema: JsonSchemaNode = {
      type: 'array',
      items: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    }
    expect(compileSchema(schema).accepts(list)).toBe(true)
    expect(read).toHaveBeenCalledTimes(100)
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
