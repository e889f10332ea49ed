import { expectTypeOf, test } from 'vitest'
import type { JsonValue } from '../contract/json.ts'
import type { InferArgs, InferValue } from './infer.ts'
import type { ParameterSchemaSpec, ValueSchemaSpec } from './nodes.ts'

test('scalars, literals, containers and openness are exact', () => {
  expectTypeOf<InferValue<{ type: 'string' }>>().toEqualTypeOf<string>()
  expectTypeOf<InferValue<{ type: 'integer' }>>().toEqualTypeOf<number>()
  expectTypeOf<InferValue<{ type: 'null' }>>().toEqualTypeOf<null>()
  expectTypeOf<InferValue<{ type: 'json' }>>().toEqualTypeOf<JsonValue>()
  expectTypeOf<InferValue<{ type: 'string'; enum: readonly ['a', 'b'] }>>().toEqualTypeOf<'a' | 'b'>()
  expectTypeOf<InferValue<{ type: 'integer'; const: 3 }>>().toEqualTypeOf<3>()
  expectTypeOf<InferValue<{ type: 'array'; items: { type: 'boolean' } }>>().toEqualTypeOf<readonly boolean[]>()
  expectTypeOf<InferValue<{ oneOf: readonly [{ type: 'string' }, { type: 'null' }] }>>().toEqualTypeOf<string | null>()
  type Closed = InferValue<{
    type: 'object'
    properties: { a: { type: 'string'; required: true }; b: { type: 'number' } }
    additionalProperties: false
  }>
  expectTypeOf<Closed['a']>().toEqualTypeOf<string>()
  expectTypeOf<Closed['b']>().toEqualTypeOf<number | undefined>()
  // @ts-expect-error a closed object has no other properties
  type _Other = Closed['c']
  type Open = InferValue<{ type: 'object'; properties: { a: { type: 'string'; required: true } }; additionalProperties: true }>
  expectTypeOf<Open['a']>().toEqualTypeOf<string>()
  expectTypeOf<Open['anything']>().toEqualTypeOf<JsonValue>()
})

test('required makes a key required', () => {
  type Args = InferArgs<{ path: { type: 'string'; required: true }; limit: { type: 'integer' } }>
  expectTypeOf<Args>().toEqualTypeOf<{ readonly path: string; readonly limit?: number }>()
})

test('what is inferred is JSON, an open object too', () => {
  type Open = InferValue<{
    type: 'object'
    properties: { a: { type: 'string'; required: true }; b: { type: 'integer' } }
    additionalProperties: true
  }>
  expectTypeOf<Open>().toExtend<JsonValue>()
  expectTypeOf<{ a: string; other: number[] }>().toExtend<Open>()
  expectTypeOf<Open['b']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<InferValue<{ type: 'array' }>>().toEqualTypeOf<readonly JsonValue[]>()
  expectTypeOf<InferValue<ValueSchemaSpec>>().toExtend<JsonValue>()
})

test('const is narrower than enum; both hold on their own', () => {
  expectTypeOf<InferValue<{ type: 'string'; enum: readonly ['a', 'b']; const: 'a' }>>().toEqualTypeOf<'a'>()
  expectTypeOf<InferValue<{ type: 'boolean'; const: true }>>().toEqualTypeOf<true>()
})

test('exact to 16 levels of containers, then JsonValue', () => {
  type Nest<S, N extends unknown[]> = N['length'] extends 0
    ? S
    : N extends [unknown, ...infer R]
      ? { type: 'array'; items: Nest<S, R> }
      : never
  type Levels<N extends number, T extends unknown[] = []> = T['length'] extends N ? T : Levels<N, [...T, 1]>
  type Unwrap<T, N extends unknown[]> = N extends [unknown, ...infer R] ? (T extends readonly (infer I)[] ? Unwrap<I, R> : T) : T
  expectTypeOf<Unwrap<InferValue<Nest<{ type: 'string' }, Levels<16>>>, Levels<16>>>().toEqualTypeOf<string>()
  type Deeper = InferValue<Nest<{ type: 'string' }, Levels<17>>>
  expectTypeOf<Unwrap<Deeper, Levels<16>>>().toEqualTypeOf<JsonValue>()
})

test('16 levels of objects are exact, and the 17th is JsonValue', () => {
  type Box<S> = { type: 'object'; properties: { in: S & { required: true } }; additionalProperties: false }
  type Four<S> = Box<Box<Box<Box<S>>>>
  type Eight<S> = Four<Four<S>>
  type In4<T> = T extends { in: { in: { in: { in: infer I } } } } ? I : never
  type In16<T> = In4<In4<In4<In4<T>>>>
  expectTypeOf<In16<InferValue<Eight<Eight<{ type: 'integer' }>>>>>().toEqualTypeOf<number>()
  expectTypeOf<In16<InferValue<Eight<Eight<Box<{ type: 'integer' }>>>>>>().toEqualTypeOf<JsonValue>()
})

test('a spec is checked where it is written', () => {
  // @ts-expect-error an enum must match the type of its node
  const _mismatch: ParameterSchemaSpec = { a: { type: 'string', enum: [1] } }
  // @ts-expect-error an object must say whether it is open
  const _silent: ParameterSchemaSpec = { a: { type: 'object', properties: {} } }
  // @ts-expect-error required is true or left out
  const _false: ParameterSchemaSpec = { a: { type: 'string', required: false } }
})
