import type { JsonSchemaNode } from '../contract/json.ts'
import { formatPath, type Path } from '../json/path.ts'
import { describeExpected, describeReceived, hintFor, isOfType, list, MISSING } from './describe.ts'
import { acceptsPart, beginWalk, mayInherit, type Plan } from './plan.ts'

/** One thing that is wrong with a value. */
export interface Violation {
  readonly path: string
  readonly expected: string
  /** The type that came, with a short excerpt. */
  readonly received: string
  /** What to do, where it can be told. */
  readonly hint?: string
  /** All of it in one phrase, path first. */
  readonly message: string
  /** Set on the last one of a list that was cut: how many more there are. */
  readonly more?: number
}

const MAX_VIOLATIONS = 20
/** Parts this shallow are first asked whether they are valid, which is quick, and mostly true. Doing so at every depth would be quadratic. */
const SHALLOW = 2

/** What is wrong with a value, before it is put into words. */
export interface Findings {
  /** The first 20: as they come in the value, then what is missing. */
  readonly problems: readonly Problem[]
  /** How many there are. */
  readonly count: number
}

type JsonObject = Readonly<Record<string, unknown>>

/** Where a part is: a step from where the whole is. Paths are made only of those that are told. */
interface Place {
  readonly step: string | number
  readonly from: Place | undefined
}

interface Problem {
  readonly place: Place | undefined
  readonly value: unknown
  /** What should have been there: a value of a schema, or something that only words say. */
  readonly expected: Plan | (() => string)
}

/** Collect what is wrong with a value. @param isPlain - as for `accepts`. */
export function inspect(plan: Plan, value: unknown, isPlain: boolean): Findings {
  beginWalk(isPlain)
  const collector = new Collector()
  collector.inspect(plan, value, undefined)
  return collector
}

/**
 * Put what is wrong into words: each of the first 20, and one violation that counts the rest.
 * @param root - what the paths start with.
 */
export function violationsOf({ problems, count }: Findings, root = '$'): readonly Violation[] {
  const violations = problems.map((problem) => toViolation(problem, root))
  const more = count - violations.length
  if (more === 0) return violations
  const received = `${more} more problems`
  return [...violations, { path: root, expected: 'a valid value', received, message: `${root}: and ${received}`, more }]
}

function toViolation({ place, value, expected }: Problem, root: string): Violation {
  const where = formatPath(pathOf(place), root)
  const what = typeof expected === 'function' ? expected() : describeExpected(expected.schema)
  const received = describeReceived(value)
  const hint = typeof expected === 'function' ? undefined : hintOf(expected, value)
  const message = `${where}: expected ${what}, received ${received}${hint ? ` (${hint})` : ''}`
  return { path: where, expected: what, received, message, ...(hint && { hint }) }
}

function pathOf(place: Place | undefined): Path {
  const path: (string | number)[] = []
  for (let at = place; at; at = at.from) path.push(at.step)
  return path.reverse()
}

function hintOf({ schema }: Plan, value: unknown): string | undefined {
  if (!schema.oneOf) return hintFor(schema.type, value)
  for (const branch of schema.oneOf) {
    const hint = hintFor(branch.type, value)
    if (hint) return hint
  }
  return undefined
}

class Collector {
  /** The first ones. */
  readonly problems: Problem[] = []
  /** How many there are, the ones beyond the first 20 included. */
  count = 0

  inspect(plan: Plan, value: unknown, place: Place | undefined): void {
    switch (plan.kind) {
      case 'object':
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) return this.#object(plan, value as JsonObject, place)
        break
      case 'array':
        if (Array.isArray(value)) return this.#array(plan, value, place)
        break
      case 'oneOf':
        return this.#oneOf(plan, value, place)
      default:
        if (acceptsPart(plan, value)) return
    }
    this.#add(value, plan, place)
  }

  /** Walks as `acceptsPart` does. */
  #object(plan: Plan, value: JsonObject, place: Place | undefined): void {
    const { properties } = plan
    let next = 0
    let required = 0
    for (const key in value) {
      if (mayInherit && !Object.hasOwn(value, key)) continue
      let property = properties[next]
      if (property === undefined || property.name !== key) property = plan.byName.get(key)
      if (property === undefined) {
        if (plan.closed) this.#unknown(plan, value[key], { step: key, from: place })
        continue
      }
      next = property.index + 1
      required += property.required
      const part = value[key]
      if (!isQuicklyValid(property.plan, part)) this.inspect(property.plan, part, { step: key, from: place })
    }
    if (required < plan.required) this.#missing(plan, value, place)
  }

  #missing({ properties }: Plan, value: JsonObject, place: Place | undefined): void {
    for (const { name, required, plan } of properties) {
      if (required === 0 || Object.hasOwn(value, name)) continue
      this.#add(MISSING, () => `${describeExpected(plan.schema)}, because it is required`, { step: name, from: place })
    }
  }

  #unknown({ byName }: Plan, value: unknown, place: Place): void {
    this.#add(value, () => `no such property: the properties are ${list([...byName.keys()])}`, place)
  }

  #array({ items }: Plan, value: readonly unknown[], place: Place | undefined): void {
    if (items === undefined) return
    for (let index = 0; index < value.length; index++) {
      if (!isQuicklyValid(items, value[index])) this.inspect(items, value[index], { step: index, from: place })
    }
  }

  #oneOf(plan: Plan, value: unknown, place: Place | undefined): void {
    const verdicts = plan.branches.map((branch) => this.#try(branch, value, place))
    const matching = verdicts.flatMap((verdict, index) => (verdict.count === 0 ? [index] : []))
    if (matching.length === 1) return
    const branches = plan.branches.map((branch) => branch.schema)
    if (matching.length > 1) {
      const kinds = `${matching.join(' and ')} of ${branches.length}`
      return this.#add(value, () => `a value of exactly one kind, and it fits kinds ${kinds}`, place)
    }
    const meant = meantBranches(branches, value)
    if (meant.length === 1) return this.#take(verdicts[meant[0] as number] as Collector)
    const tag = meant.length > 1 ? sharedTag(meant.map((index) => branches[index] as JsonSchemaNode)) : undefined
    if (tag === undefined) return this.#add(value, plan, place)
    const tags = { oneOf: meant.map((index) => branches[index]?.properties?.[tag] as JsonSchemaNode) }
    const received = Object.hasOwn(value as object, tag) ? (value as JsonObject)[tag] : MISSING
    this.#add(received, () => describeExpected(tags), { step: tag, from: place })
  }

  #try(branch: Plan, value: unknown, place: Place | undefined): Collector {
    const collector = new Collector()
    collector.inspect(branch, value, place)
    return collector
  }

  #take(other: Collector): void {
    this.problems.push(...other.problems.slice(0, MAX_VIOLATIONS - this.problems.length))
    this.count += other.count
  }

  #add(value: unknown, expected: Problem['expected'], place: Place | undefined): void {
    this.count++
    if (this.problems.length < MAX_VIOLATIONS) this.problems.push({ place, value, expected })
  }
}

function isQuicklyValid(plan: Plan, value: unknown): boolean {
  return plan.depth <= SHALLOW && acceptsPart(plan, value)
}

/** The branches that a value which fits none was probably meant for: those of its type, and of these the ones whose tags it has. */
function meantBranches(branches: readonly JsonSchemaNode[], value: unknown): readonly number[] {
  const typed = branches.flatMap((branch, index) => (branch.type === undefined || isOfType(value, branch.type) ? [index] : []))
  const tagged = typed.filter((index) => hasTagsOf(branches[index] as JsonSchemaNode, value))
  return tagged.length === 1 ? tagged : typed
}

function hasTagsOf(branch: JsonSchemaNode, value: unknown): boolean {
  const tags = tagsOf(branch)
  return tags.length > 0 && tags.every((tag) => Object.hasOwn(value as object, tag) && isAllowed(branch, tag, value))
}

function isAllowed(branch: JsonSchemaNode, tag: string, value: unknown): boolean {
  const node = branch.properties?.[tag] as JsonSchemaNode
  const received = (value as Record<string, unknown>)[tag]
  return Object.hasOwn(node, 'const') ? received === node.const : (node.enum as readonly unknown[]).includes(received)
}

/** The required properties of an object that can have few values: what its kind can be told by. */
function tagsOf(branch: JsonSchemaNode): readonly string[] {
  return (branch.required ?? []).filter((name) => {
    const node = branch.properties?.[name]
    return node !== undefined && (Object.hasOwn(node, 'const') || node.enum !== undefined)
  })
}

function sharedTag(branches: readonly JsonSchemaNode[]): string | undefined {
  const [first, ...others] = branches.map(tagsOf)
  return first?.find((tag) => others.every((tags) => tags.includes(tag)))
}
