import type { JsonSchemaNode } from '../contract/json.ts'
import { formatPath, type Path } from '../json/path.ts'
import { describeExpected, describeReceived, hintFor, isOfType, list, MISSING } from './describe.ts'

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

/**
 * Collect what is wrong with a value: the first 20, in the order of the schema, and one that counts the rest.
 * @param root - what the path starts with.
 */
export function violationsOf(schema: JsonSchemaNode, value: unknown, root = '$'): readonly Violation[] {
  const found = new Collector(root, [])
  found.node(schema, value)
  const more = found.count - found.violations.length
  if (more === 0) return found.violations
  const rest = {
    path: root,
    expected: 'a valid value',
    received: `${more} more problems`,
    message: `${root}: and ${more} more problems`,
    more,
  }
  return [...found.violations, rest]
}

class Collector {
  readonly violations: Violation[] = []
  /** How many there are, the ones beyond the first 20 included. */
  count = 0
  readonly #root: string
  /** Where the collector is. */
  readonly #path: (string | number)[]

  constructor(root: string, path: Path) {
    this.#root = root
    this.#path = [...path]
  }

  node(node: JsonSchemaNode, value: unknown): void {
    if (node.oneOf) return this.#oneOf(node.oneOf, value)
    if (node.type === undefined) return
    if (!isOfType(value, node.type)) return this.#add(() => describeExpected(node), value, node)
    if (node.type === 'object') return this.#object(node, value as Record<string, unknown>)
    if (node.type === 'array') return this.#array(node, value as readonly unknown[])
    const wrongConst = Object.hasOwn(node, 'const') && value !== node.const
    if (wrongConst || (node.enum && !node.enum.includes(value as never))) this.#add(() => describeExpected(node), value, node)
  }

  #object(node: JsonSchemaNode, value: Record<string, unknown>): void {
    const properties = node.properties ?? {}
    for (const name of node.required ?? []) {
      if (Object.hasOwn(value, name)) continue
      this.#in(name, () => this.#add(() => `${describeExpected(properties[name] as JsonSchemaNode)}, because it is required`, MISSING))
    }
    for (const name of Object.keys(properties)) {
      if (Object.hasOwn(value, name)) this.#in(name, () => this.node(properties[name] as JsonSchemaNode, value[name]))
    }
    if (node.additionalProperties !== false) return
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(properties, key)) continue
      this.#in(key, () => this.#add(() => `no such property: the properties are ${list(Object.keys(properties))}`, value[key]))
    }
  }

  #array(node: JsonSchemaNode, value: readonly unknown[]): void {
    const { items } = node
    if (items) for (const [index, item] of value.entries()) this.#in(index, () => this.node(items, item))
  }

  #oneOf(branches: readonly JsonSchemaNode[], value: unknown): void {
    const verdicts = branches.map((branch) => this.#try(branch, value))
    const matching = verdicts.flatMap((verdict, index) => (verdict.count === 0 ? [index] : []))
    if (matching.length === 1) return
    if (matching.length > 1) {
      return this.#add(() => `a value of exactly one kind, and it fits kinds ${matching.join(' and ')} of ${branches.length}`, value)
    }
    const meant = meantBranches(branches, value)
    if (meant.length === 1) return this.#take(verdicts[meant[0] as number] as Collector)
    const tag = meant.length > 1 ? sharedTag(meant.map((index) => branches[index] as JsonSchemaNode)) : undefined
    if (tag === undefined) return this.#add(() => describeExpected({ oneOf: branches }), value, ...branches)
    const tags = { oneOf: meant.map((index) => branches[index]?.properties?.[tag] as JsonSchemaNode) }
    const received = Object.hasOwn(value as object, tag) ? (value as Record<string, unknown>)[tag] : MISSING
    this.#in(tag, () => this.#add(() => describeExpected(tags), received))
  }

  #try(branch: JsonSchemaNode, value: unknown): Collector {
    const collector = new Collector(this.#root, this.#path)
    collector.node(branch, value)
    return collector
  }

  #take(other: Collector): void {
    this.violations.push(...other.violations.slice(0, MAX_VIOLATIONS - this.violations.length))
    this.count += other.count
  }

  #in(step: string | number, run: () => void): void {
    this.#path.push(step)
    run()
    this.#path.pop()
  }

  /** @param asked - the schemas whose type a hint may be about. */
  #add(describe: () => string, value: unknown, ...asked: readonly JsonSchemaNode[]): void {
    this.count++
    if (this.violations.length >= MAX_VIOLATIONS) return
    const path = formatPath(this.#path, this.#root)
    const expected = describe()
    const received = describeReceived(value)
    const hint = asked.map((node) => hintFor(node.type, value)).find((text) => text !== undefined)
    const message = `${path}: expected ${expected}, received ${received}${hint ? ` (${hint})` : ''}`
    this.violations.push({ path, expected, received, message, ...(hint && { hint }) })
  }
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
