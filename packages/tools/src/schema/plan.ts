import type { JsonSchemaNode, JsonSchemaScalar } from '../contract/json.ts'

/** A schema node made ready to be walked beside a value. All nodes have one shape, so that the walk stays fast without generated code. */
export interface Plan {
  readonly schema: JsonSchemaNode
  readonly kind: 'any' | 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'values' | 'object' | 'array' | 'oneOf'
  /** The only values there are, for `const` and `enum`. */
  readonly values: readonly JsonSchemaScalar[]
  /** The same, where they are many. */
  readonly valueSet: ReadonlySet<unknown> | undefined
  readonly items: Plan | undefined
  readonly branches: readonly Plan[]
  readonly properties: readonly PropertyPlan[]
  readonly byName: ReadonlyMap<string, PropertyPlan>
  /** How many properties are required. */
  readonly required: number
  /** Whether properties that are not named are refused. */
  readonly closed: boolean
  /** Levels of plans below this one. */
  readonly depth: number
}

/** One named property of an object. */
export interface PropertyPlan {
  readonly name: string
  readonly index: number
  /** 1 or 0, to be counted. */
  readonly required: number
  readonly plan: Plan
}

/** So many values are found sooner by looking at each than in a set. */
const FEW = 8

/** Make the plan of a schema that is known to be of the subset. */
export function planOf(schema: JsonSchemaNode): Plan {
  const required = new Set(schema.required)
  const properties = Object.entries(schema.properties ?? {}).map(([name, property], index) => ({
    name,
    index,
    required: required.has(name) ? 1 : 0,
    plan: planOf(property),
  }))
  const items = schema.items && planOf(schema.items)
  const branches = (schema.oneOf ?? []).map(planOf)
  const values = valuesOf(schema)
  const below = [...properties.map(({ plan }) => plan), ...branches, ...(items ? [items] : [])]
  return {
    schema,
    kind: kindOf(schema),
    values,
    valueSet: values.length > FEW ? new Set(values) : undefined,
    items,
    branches,
    properties,
    byName: new Map(properties.map((property) => [property.name, property])),
    required: required.size,
    closed: schema.additionalProperties === false,
    depth: below.reduce((deepest, { depth }) => Math.max(deepest, depth + 1), 0),
  }
}

/**
 * Whether a JSON value is valid. Builds nothing.
 * @param isPlain - whether the value is known to be made of plain objects, as a snapshot is.
 */
export function accepts(plan: Plan, value: unknown, isPlain: boolean): boolean {
  beginWalk(isPlain)
  return acceptsPart(plan, value)
}

/** Whether a `for in` may find what is not an object's own: its class, or somebody who added to Object.prototype, may have left it there. */
export let mayInherit = false

/** To be called before {@link acceptsPart}, once for a whole value. */
export function beginWalk(isPlain: boolean): void {
  mayInherit = !isPlain
  for (const _inherited in NOTHING) mayInherit = true // much faster than a walk over Object.prototype itself
}

const NOTHING = {}

/**
 * Like {@link accepts}, for a part of a value. Object properties are walked with `for in`, where engines load each value without
 * looking it up; they mostly come in the order of the schema.
 */
export function acceptsPart(plan: Plan, value: unknown): boolean {
  switch (plan.kind) {
    case 'object':
      return acceptsObject(plan, value)
    case 'string':
      return typeof value === 'string'
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'null':
      return value === null
    case 'values':
      return plan.valueSet ? plan.valueSet.has(value) : plan.values.includes(value as never)
    case 'array':
      return acceptsArray(plan, value)
    case 'oneOf':
      return acceptsOne(plan, value)
    default:
      return true
  }
}

function acceptsObject(plan: Plan, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { properties } = plan
  let next = 0
  let required = 0
  for (const key in value) {
    if (mayInherit && !Object.hasOwn(value, key)) continue
    let property = next < properties.length ? properties[next] : undefined
    if (property === undefined || property.name !== key) {
      property = plan.byName.get(key)
      if (property === undefined) {
        if (plan.closed) return false
        continue
      }
      next = property.index
    }
    next++
    required += property.required
    const part = (value as Record<string, unknown>)[key]
    switch (property.plan.kind) {
      case 'string': // here, and not by a call, because most properties are texts
        if (typeof part !== 'string') return false
        break
      case 'integer':
        if (!Number.isInteger(part)) return false
        break
      default:
        if (!acceptsPart(property.plan, part)) return false
    }
  }
  return required === plan.required
}

function acceptsArray({ items }: Plan, value: unknown): boolean {
  if (!Array.isArray(value)) return false
  if (items !== undefined) for (let index = 0; index < value.length; index++) if (!acceptsPart(items, value[index])) return false
  return true
}

function acceptsOne({ branches }: Plan, value: unknown): boolean {
  let matches = 0
  for (const branch of branches) if (acceptsPart(branch, value) && ++matches > 1) return false
  return matches === 1
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
