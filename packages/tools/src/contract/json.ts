/**
 * Any lossless JSON value. What the runtime hands out as a `JsonValue` is deep-frozen, so the type is readonly.
 * `undefined`, `-0`, `NaN`, infinities, class instances and cycles are not JSON here: see `snapshotJson`.
 */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** Scalar JSON values supported by `enum` and `const`. */
export type JsonSchemaScalar = string | number | boolean | null

/** Single-type keywords accepted by the enforced subset. */
export type JsonSchemaType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'

/**
 * One raw JSON Schema node in the enforced subset. The type says which keywords exist; which combinations are allowed
 * is checked by `assertSupportedJsonSchema`, before anything trusts the node.
 */
export type JsonSchemaNode = {
  /** Omit with no constraints for any JSON value, or use `oneOf`. */
  readonly type?: JsonSchemaType
  /** Exactly one branch must validate; at least two branches are required. */
  readonly oneOf?: readonly JsonSchemaNode[]
  /** Nested property schemas (`type: 'object'` only). */
  readonly properties?: { readonly [name: string]: JsonSchemaNode }
  /** Required property names; each must appear in `properties`. */
  readonly required?: readonly string[]
  /** `false` rejects undeclared keys; absent or `true` follows JSON Schema's open default. */
  readonly additionalProperties?: boolean
  /** Item schema (`type: 'array'` only); absent accepts any JSON item. */
  readonly items?: JsonSchemaNode
  /** Allowed values for a scalar node. */
  readonly enum?: readonly JsonSchemaScalar[]
  /** The single allowed value for a scalar node. */
  readonly const?: JsonSchemaScalar
  /** Annotation, ignored for validation. */
  readonly description?: string
  /** Annotation, ignored for validation. */
  readonly title?: string
  /** Annotation, ignored for validation but required to be lossless JSON. */
  readonly default?: JsonValue
  /** Annotation, ignored for validation but required to be lossless JSON. */
  readonly examples?: JsonValue
}

/** An object-rooted schema: what tool parameters are. */
export type ObjectJsonSchema = JsonSchemaNode & { readonly type: 'object' }
