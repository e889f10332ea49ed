import { afterEach, describe, expect, test } from 'vitest'
import type { JsonSchemaNode } from '../contract/json.ts'
import { ambiguousBranches } from './ambiguity.ts'
import { compileSchema } from './compile.ts'

describe('only own properties count, whatever somebody has added to Object.prototype', () => {
  const pollute = (name: string, value: unknown) => {
    ;(Object.prototype as Record<string, unknown>)[name] = value
  }
  afterEach(() => {
    for (const name of ['path', 'extend', 'kind', 'other']) delete (Object.prototype as Record<string, unknown>)[name]
  })
  const object = (properties: Record<string, JsonSchemaNode>, rest: Partial<JsonSchemaNode> = {}): JsonSchemaNode => ({
    type: 'object',
    properties,
    ...rest,
  })

  test('a required one is not there by inheritance', () => {
    const schema = compileSchema(object({ path: { type: 'string' } }, { required: ['path'] }))
    pollute('path', '/everything')
    expect([schema.accepts({}), schema.inspect({}).count]).toEqual([false, 1])
    expect(schema.accepts(Object.create({ path: 'x' }))).toBe(false)
  })

  test('an optional one, and one that is not allowed, refuse nothing by inheritance', () => {
    const schema = compileSchema(object({ extend: { type: 'boolean' } }, { additionalProperties: false }))
    pollute('extend', () => undefined)
    pollute('other', 1)
    expect([schema.accepts({}), schema.inspect({}).count]).toEqual([true, 0])
  })

  test('branches are told apart, and searched, by what they have', () => {
    const branch = (kind: string) => object({ kind: { type: 'string', const: kind }, x: {} }, { required: ['kind'] })
    const schema = compileSchema({ oneOf: [branch('a'), object({ x: { type: 'integer' } })] })
    pollute('kind', 'a')
    expect(schema.accepts({ x: 1 })).toBe(true)
    pollute('other', null)
    expect(() => ambiguousBranches(object({ u: { oneOf: [branch('a'), branch('b')] } }))).not.toThrow()
  })
})

test('an enum of many values costs no more for each value than one of few', () => {
  const values = Array.from({ length: 20_000 }, (_, n) => `value ${n}`)
  const { accepts } = compileSchema({ type: 'array', items: { type: 'string', enum: values } })
  const few = compileSchema({ type: 'array', items: { type: 'string', enum: values.slice(-3) } })
  const same = Array<string>(20_000).fill('value 19999')
  const timed = (run: () => boolean) => {
    const start = performance.now()
    expect(run()).toBe(true)
    return performance.now() - start
  }
  const best = (run: () => boolean) => Math.min(...Array.from({ length: 5 }, () => timed(run)))
  expect(best(() => accepts([...same]))).toBeLessThan(50 * (best(() => few.accepts([...same])) + 0.1))
})
