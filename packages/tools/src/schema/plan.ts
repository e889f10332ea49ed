import type { JsonSchemaNode, JsonSchemaScalar } from '../contract/json.ts'

/** A schema node made ready to be walked beside a value. All nodes have one shape, so that the walk stays fast without generated code. */
export interface Plan {
  readonly schema: JsonSchemaNode
  readonly kind: 'any' | 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'values' | 'object' | 'array' | 'oneOf'
  /** The only values there are, for `const` and `enum`. */
  readonly values: readonly JsonSchemaScalar[]
  readonly items: Plan | undefined
  readonly branches: readonly Plan[]
  readonly properties: readonly PropertyPlan[]
  readonly byName: ReadonlyMap<string, PropertyPlan>
  /** How many properties are required. */
  readonly required: number
  /** Whether properties that are not named are refused. */
  readonly closed: boolean
}

/** One named property of an object. */
export interface PropertyPlan {
  readonly name: string
  readonly index: number
  /** 1 or 0, to be counted. */
  readonly required: number
  readonly plan: Plan
}

/** Make the plan of a schema that is known to be of the subset. */
export function planOf(schema: JsonSchemaNode): Plan {
  const required = new Set(schema.required)
  const properties = Object.entries(schema.properties ?? {}).map(([name, property], index) => ({
    name,
    index,
    required: required.has(name) ? 1 : 0,
    plan: planOf(property),
  }))
  return {
    schema,
    kind: kindOf(schema),
    values: valuesOf(schema),
    items: schema.items && planOf(schema.items),
    branches: (schema.oneOf ?? []).map(planOf),
    properties,
    byName: new Map(properties.map((property) => [property.name, property])),
    required: required.size,
    closed: schema.additionalProperties === false,
  }
}

function kindOf(schema: JsonSchemaNode): Plan['kind'] {
  if (schema.oneOf) return 'oneOf'
  return Object.hasOwn(schema, 'const') || schema.enum ? 'values' : (schema.type ?? 'any')
}

function valuesOf(schema: JsonSchemaNode): readonly JsonSchemaScalar[] {
  if (!Object.hasOwn(schema, 'const')) return schema.enum ?? []
  const only = schema.const as JsonSchemaScalar
  return schema.enum === undefined || schema.enum.includes(only) ? [only] : []
}
