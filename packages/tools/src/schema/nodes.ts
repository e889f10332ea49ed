import type { JsonValue } from '../contract/json.ts'

interface Annotations {
  readonly title?: string
  readonly description?: string
  readonly default?: JsonValue
  readonly examples?: readonly JsonValue[]
}

/** Text. */
export interface StringValueSchemaSpec extends Annotations {
  readonly type: 'string'
  readonly enum?: readonly string[]
  readonly const?: string
}

/** Any finite number. */
export interface NumberValueSchemaSpec extends Annotations {
  readonly type: 'number'
  readonly enum?: readonly number[]
  readonly const?: number
}

/** A whole number; `1.0` and `1e3` are whole. */
export interface IntegerValueSchemaSpec extends Annotations {
  readonly type: 'integer'
  readonly enum?: readonly number[]
  readonly const?: number
}

/** True or false. */
export interface BooleanValueSchemaSpec extends Annotations {
  readonly type: 'boolean'
  readonly enum?: readonly boolean[]
  readonly const?: boolean
}

/** Null. */
export interface NullValueSchemaSpec extends Annotations {
  readonly type: 'null'
  readonly enum?: readonly null[]
  readonly const?: null
}

/** A list; without `items`, of any JSON. */
export interface ArrayValueSchemaSpec extends Annotations {
  readonly type: 'array'
  readonly items?: ValueSchemaSpec
}

/** An object. It always says whether undeclared keys are allowed; a property is optional unless `required: true`. */
export interface ObjectValueSchemaSpec extends Annotations {
  readonly type: 'object'
  readonly properties?: { readonly [name: string]: ParameterPropertySpec }
  readonly additionalProperties: boolean
}

/** Any lossless JSON. */
export interface JsonValueSchemaSpec extends Annotations {
  readonly type: 'json'
}

/** A value of exactly one branch; at least two. */
export interface OneOfValueSchemaSpec extends Annotations {
  readonly type?: never
  readonly oneOf: readonly ValueSchemaSpec[]
}

/** One author-facing schema for any lossless JSON value. */
export type ValueSchemaSpec =
  | StringValueSchemaSpec
  | NumberValueSchemaSpec
  | IntegerValueSchemaSpec
  | BooleanValueSchemaSpec
  | NullValueSchemaSpec
  | ArrayValueSchemaSpec
  | ObjectValueSchemaSpec
  | JsonValueSchemaSpec
  | OneOfValueSchemaSpec

/** One property, optional unless it says `required: true`. */
export type ParameterPropertySpec = ValueSchemaSpec & { readonly required?: true }

/** The parameters of a tool: the properties of an implicit open object. */
export interface ParameterSchemaSpec {
  readonly [name: string]: ParameterPropertySpec
  readonly [name: symbol]: never
}
