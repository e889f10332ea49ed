import { type JsonValue, ToolError } from '@dsh/tools'
import { count } from '../text/count.ts'

/** One step of a path into a value. */
type Step =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly from?: number; readonly to?: number }
  | { readonly kind: 'all' }

/** A value, and where it is. */
export interface QueryNode {
  readonly path: string
  readonly value: JsonValue
}

const NAME = /\.([\p{L}_$][\p{L}\p{N}_$-]*)/uy
const ALL = /\.\*|\[\s*\*\s*\]/y
const INDEX = /\[\s*(-?\d+)\s*\]/y
const SLICE = /\[\s*(-?\d+)?\s*:\s*(-?\d+)?\s*\]/y
const QUOTED = /\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]/y
const MAX_SHOWN_KEYS = 12
const MAX_SHOWN_CHARS = 60

/** @throws ToolError INVALID_QUERY with the position. */
export function parseQuery(query: string): readonly Step[] {
  if (!query.startsWith('$')) throw invalid(query, 0, 'a query begins with $, the whole value')
  const steps: Step[] = []
  for (let at = 1; at < query.length; ) {
    const [step, end] = stepAt(query, at)
    steps.push(step)
    at = end
  }
  return steps
}

function stepAt(query: string, at: number): [step: Step, end: number] {
  const match = (shape: RegExp) => {
    shape.lastIndex = at
    return shape.exec(query)
  }
  const endOf = (found: RegExpExecArray) => at + found[0].length
  const all = match(ALL)
  if (all) return [{ kind: 'all' }, endOf(all)]
  const name = match(NAME)
  if (name) return [{ kind: 'key', name: name[1] as string }, endOf(name)]
  const index = match(INDEX)
  if (index) return [{ kind: 'index', index: Number(index[1]) }, endOf(index)]
  const slice = match(SLICE)
  if (slice) {
    const [, from, to] = slice
    return [{ kind: 'slice', ...(from && { from: Number(from) }), ...(to && { to: Number(to) }) }, endOf(slice)]
  }
  const quoted = match(QUOTED)
  if (quoted) return [{ kind: 'key', name: unquoted(query, at, quoted[1] as string) }, endOf(quoted)]
  throw invalid(query, at, 'here can stand .name, ["name"], [0], [-1], [2:5], [*] or .length')
}

function unquoted(query: string, at: number, quoted: string): string {
  const text = quoted.startsWith('"')
    ? quoted
    : `"${quoted
        .slice(1, -1)
        .replaceAll("\\'", "'")
        .replaceAll(/(?<!\\)"/g, '\\"')}"`
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(query, at, 'the name in quotes has an escape that JSON does not know')
  }
}

function invalid(query: string, at: number, why: string): ToolError {
  const rest = JSON.stringify(query.slice(at, at + MAX_SHOWN_CHARS))
  return new ToolError(`The query cannot be read at character ${at + 1} (${rest}): ${why}.`, { code: 'INVALID_QUERY' })
}

/** All values a query leads to, in order. */
export function* runQuery(root: JsonValue, steps: readonly Step[]): Generator<QueryNode> {
  const waiting: { readonly node: QueryNode; readonly step: number }[] = [{ node: { path: '$', value: root }, step: 0 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const step = steps[next.step]
    if (step === undefined) yield next.node
    else for (const node of [...follow(next.node, step)].reverse()) waiting.push({ node, step: next.step + 1 })
  }
}

/** Say where a query that found nothing came to its end. */
export function whereItEnds(root: JsonValue, steps: readonly Step[]): string {
  let nodes: QueryNode[] = [{ path: '$', value: root }]
  for (const step of steps) {
    const further = nodes.slice(0, 1_000).flatMap((node) => [...follow(node, step)])
    const [last] = nodes
    if (further.length === 0 && last !== undefined)
      return `${last.path} is ${kindOf(last.value)}, and ${stepText(step)} leads nowhere in it`
    nodes = further
  }
  return 'it leads nowhere'
}

function* follow({ path, value }: QueryNode, step: Step): Generator<QueryNode> {
  if (Array.isArray(value)) yield* inArray(path, value, step)
  else if (typeof value === 'object' && value !== null) {
    const record = value as Readonly<Record<string, JsonValue>>
    const names = step.kind === 'all' ? Object.keys(record) : step.kind === 'key' && Object.hasOwn(record, step.name) ? [step.name] : []
    for (const name of names) yield { path: path + keyText(name), value: record[name] as JsonValue }
  } else if (typeof value === 'string' && step.kind === 'key' && step.name === 'length')
    yield { path: `${path}.length`, value: value.length }
}

function* inArray(path: string, items: readonly JsonValue[], step: Step): Generator<QueryNode> {
  const { length } = items
  if (step.kind === 'key') {
    if (step.name === 'length') yield { path: `${path}.length`, value: length }
    return
  }
  const place = (index: number) => Math.min(length, Math.max(0, index < 0 ? index + length : index))
  if (step.kind === 'index') {
    const index = step.index < 0 ? step.index + length : step.index
    if (index >= 0 && index < length) yield { path: `${path}[${index}]`, value: items[index] as JsonValue }
    return
  }
  const [from, to] = step.kind === 'all' ? [0, length] : [place(step.from ?? 0), place(step.to ?? length)]
  for (let index = from; index < to; index++) yield { path: `${path}[${index}]`, value: items[index] as JsonValue }
}

/** What a value is, in a few words. */
export function kindOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return `a string of ${count(value.length, 'character')}`
  if (Array.isArray(value)) return `an array of ${count(value.length, 'item')}`
  if (typeof value !== 'object') return `a ${typeof value}`
  const keys = Object.keys(value)
  const shown = keys.slice(0, MAX_SHOWN_KEYS).map((key) => JSON.stringify(key.slice(0, MAX_SHOWN_CHARS)))
  return `an object with ${count(keys.length, 'key')}${keys.length === 0 ? '' : ` (${shown.join(', ')}${keys.length > shown.length ? ', ...' : ''})`}`
}

function keyText(name: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

function stepText(step: Step): string {
  if (step.kind === 'key') return keyText(step.name).slice(0, MAX_SHOWN_CHARS)
  if (step.kind === 'index') return `[${step.index}]`
  return step.kind === 'all' ? '[*]' : `[${step.from ?? ''}:${step.to ?? ''}]`
}
