import type { JsonSchemaNode, JsonSchemaScalar } from '../contract/json.ts'
import { formatPath } from '../json/path.ts'
import { isWithoutOneOf } from './subset.ts'

/** Two branches of a oneOf that some value may fit at once. */
export interface Ambiguity {
  readonly path: string
  readonly branches: readonly [number, number]
}

/** The branches of every oneOf that cannot be told apart: such values are refused, which is rarely what the author meant. */
export function ambiguousBranches(schema: JsonSchemaNode): readonly Ambiguity[] {
  const found: Ambiguity[] = []
  if (!isWithoutOneOf(schema)) search(schema, [], found)
  return found
}

type Path = (string | number)[]

function search({ properties, items, oneOf }: JsonSchemaNode, path: Path, found: Ambiguity[]): void {
  if (properties) {
    for (const name of Object.keys(properties)) {
      path.push('properties', name)
      search(properties[name] as JsonSchemaNode, path, found)
      path.length -= 2
    }
  }
  if (items) {
    path.push('items')
    search(items, path, found)
    path.length -= 1
  }
  if (oneOf) compareBranches(oneOf, path, found)
}

function compareBranches(branches: readonly JsonSchemaNode[], path: Path, found: Ambiguity[]): void {
  for (const [index, branch] of branches.entries()) {
    path.push('oneOf', index)
    search(branch, path, found)
    path.length -= 2
    for (let other = index + 1; other < branches.length; other++) {
      if (overlap(branch, branches[other] as JsonSchemaNode)) found.push({ path: formatPath(path), branches: [index, other] })
    }
  }
}

/** Whether some value may fit both. */
function overlap(a: JsonSchemaNode, b: JsonSchemaNode): boolean {
  if (a.oneOf) return a.oneOf.some((branch) => overlap(branch, b))
  if (b.oneOf) return overlap(b, a)
  if (a.type === undefined || b.type === undefined) return true
  if (family(a.type) !== family(b.type)) return false
  if (a.type === 'object') return objectsOverlap(a, b)
  if (a.type === 'array') return true // the empty array fits both
  const [ours, theirs] = [valuesOf(a), valuesOf(b)]
  if (ours && theirs) return ours.some((value) => theirs.includes(value))
  const [fixed, open] = ours ? [ours, b] : [theirs ?? [], a]
  if (!ours && !theirs) return true
  return fixed.some((value) => open.type !== 'integer' || Number.isInteger(value))
}

function objectsOverlap(a: JsonSchemaNode, b: JsonSchemaNode): boolean {
  const lacks = (one: JsonSchemaNode, other: JsonSchemaNode) =>
    one.additionalProperties === false && (other.required ?? []).some((name) => !Object.hasOwn(one.properties ?? {}, name))
  if (lacks(a, b) || lacks(b, a)) return false
  const shared = (a.required ?? []).filter((name) => (b.required ?? []).includes(name))
  return !shared.some((name) => !overlap(a.properties?.[name] ?? {}, b.properties?.[name] ?? {}))
}

function family(type: NonNullable<JsonSchemaNode['type']>): string {
  return type === 'integer' ? 'number' : type
}

function valuesOf(node: JsonSchemaNode): readonly JsonSchemaScalar[] | undefined {
  return Object.hasOwn(node, 'const') ? [node.const as JsonSchemaScalar] : node.enum
}
