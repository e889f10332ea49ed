import type { Plan } from './plan.ts'

/**
 * Whether a JSON value is valid. Builds nothing. Object properties are walked with `for in`, where engines load each value
 * without looking it up; they mostly come in the order of the schema.
 */
export function accepts(plan: Plan, value: unknown): boolean {
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
      return plan.values.includes(value as never)
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
    let property = next < properties.length ? properties[next] : undefined
    if (property === undefined || property.name !== key) {
      property = plan.byName.get(key)
      if (property === undefined) {
        if (plan.closed && Object.hasOwn(value, key)) return false
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
        if (!accepts(property.plan, part)) return false
    }
  }
  return required === plan.required
}

function acceptsArray({ items }: Plan, value: unknown): boolean {
  if (!Array.isArray(value)) return false
  if (items !== undefined) for (let index = 0; index < value.length; index++) if (!accepts(items, value[index])) return false
  return true
}

function acceptsOne({ branches }: Plan, value: unknown): boolean {
  let matches = 0
  for (const branch of branches) if (accepts(branch, value) && ++matches > 1) return false
  return matches === 1
}
