import type { JsonValue } from '../contract/json.ts'

/** The TypeScript value of an author-facing schema: exact to 16 levels of containers, then `JsonValue`. */
export type InferValue<S> = InferAt<S, []>

/** The TypeScript object of a parameter schema: an implicit open object. */
export type InferArgs<S> = InferProperties<S, []>

type MaxDepth = 16

type InferAt<S, Depth extends unknown[]> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly oneOf: readonly (infer B)[] }
      ? Depth['length'] extends MaxDepth
        ? JsonValue
        : InferAt<B, [...Depth, 1]>
      : S extends { readonly type: infer T }
        ? T extends keyof Scalars
          ? Scalars[T]
          : Depth['length'] extends MaxDepth
            ? JsonValue
            : T extends 'array'
              ? InferArray<S, [...Depth, 1]>
              : T extends 'object'
                ? InferObject<S, [...Depth, 1]>
                : never
        : JsonValue

interface Scalars {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
  json: JsonValue
}

type InferArray<S, Depth extends unknown[]> = S extends { readonly items: infer I } ? readonly InferAt<I, Depth>[] : readonly JsonValue[]

type InferObject<S, Depth extends unknown[]> = (S extends { readonly properties: infer P } ? InferProperties<P, Depth> : unknown) &
  (S extends { readonly additionalProperties: false } ? unknown : { readonly [name: string]: JsonValue })

type InferProperties<P, Depth extends unknown[]> = Flatten<
  { readonly [K in RequiredKeys<P>]: InferAt<P[K], Depth> } & {
    readonly [K in Exclude<keyof P & string, RequiredKeys<P>>]?: InferAt<P[K], Depth>
  }
>

type RequiredKeys<P> = { [K in keyof P & string]: P[K] extends { readonly required: true } ? K : never }[keyof P & string]

type Flatten<T> = { [K in keyof T]: T[K] }
