import type { JsonValue } from '../contract/json.ts'
import { brand, isBranded } from './brand.ts'
import { markSnapshot, snapshotBytes } from './mark.ts'
import { formatPath, type Path } from './path.ts'
import { describeForeign, describeThrown, extraKeys, hiddenKeys, isPlainArray, isPlainObject } from './plain.ts'

/** Options of {@link snapshotJson}. */
export interface SnapshotOptions {
  /** Drop properties whose value is `undefined` instead of refusing them. Items and the root are refused all the same. */
  readonly omitUndefined?: boolean
  /** Refuse a value whose JSON text would be longer than about this many bytes. */
  readonly maxBytes?: number
}

/** A value is not lossless JSON. The message says where and why. */
export class JsonValueError extends TypeError {
  /** Where, from the root `$`. */
  readonly path: string

  constructor(path: string, problem: string) {
    super(`${path} ${problem}`)
    this.name = 'JsonValueError'
    this.path = path
  }
}
brand(JsonValueError, 'JsonValueError')

/** Whether a value is known to be immutable JSON: a scalar, or the root of a snapshot. */
export function isSnapshot(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? snapshotBytes(value) !== undefined : scalarProblem(value) === undefined
}

/**
 * Check, copy and deep-freeze a value in one pass: any depth, linear time. What an earlier call returned is recognised and
 * returned as it is.
 * @throws JsonValueError naming the path and the reason. What a getter or proxy throws is a reason, too.
 */
export function snapshotJson(value: unknown, options: SnapshotOptions = {}): JsonValue {
  if (options.maxBytes === undefined && isSnapshot(value)) return value as JsonValue
  return new Snapshot(options, undefined).copy(value)
}

/** A part of a value that is not lossless JSON. */
export interface JsonProblem {
  readonly path: Path
  readonly problem: string
}

/** Make a snapshot of what its maker alone has, and knows to be plain JSON: frozen where it is, not copied. */
export function adoptJson(root: JsonValue): JsonValue {
  if (typeof root !== 'object' || root === null || Object.isFrozen(root)) return snapshotJson(root)
  const containers: object[] = [root]
  let bytes = 0
  for (let at = 0; at < containers.length; at++) {
    const container = containers[at] as Readonly<Record<string, unknown>>
    const isArray = Array.isArray(container)
    for (const key of Object.keys(container)) {
      const inner = container[key]
      bytes += isArray ? 2 : key.length + 4
      if (typeof inner === 'string') bytes += inner.length + 2
      else if (typeof inner !== 'object' || inner === null) bytes += 5
      else if (!Object.isFrozen(inner)) containers.push(inner)
    }
  }
  markSnapshot(root, bytes)
  for (const container of containers) Object.freeze(container)
  return root
}

/** Like {@link snapshotJson}, but finds every problem: in `value`, what was refused is `null`. */
export function inspectJson(
  source: unknown,
  options: SnapshotOptions = {},
): { readonly value: JsonValue; readonly problems: readonly JsonProblem[] } {
  const problems: JsonProblem[] = []
  try {
    return { value: new Snapshot(options, problems).copy(source), problems }
  } catch (error) {
    if (!isBranded(error, 'JsonValueError')) throw error
    return { value: null, problems: [{ path: [], problem: tooLarge(options) }] } // nothing else ends an inspection
  }
}

/** A container that is being copied: where its entries come from and go to, and how far it has come. */
interface Frame {
  readonly source: object
  readonly copy: JsonValue[] | Record<string, JsonValue>
  /** Own keys of an object; null for an array, whose keys are its indices. */
  readonly keys: readonly string[] | null
  readonly length: number
  /** What it has beside its entries, in words. */
  readonly problem: string | undefined
  /** The next entry; the one before it is being copied. */
  at: number
}

class Snapshot {
  readonly #options: SnapshotOptions
  readonly #maxBytes: number
  readonly #problems: JsonProblem[] | undefined
  readonly #stack: Frame[] = []
  /** Sources on the stack, kept only once it is long: a short one is quicker searched. */
  #open: Set<object> | undefined
  #bytes = 0

  /** @param problems - takes what is refused; without it, a refusal is thrown. */
  constructor(options: SnapshotOptions, problems: JsonProblem[] | undefined) {
    this.#options = options
    this.#maxBytes = options.maxBytes ?? Infinity
    this.#problems = problems
  }

  copy(root: unknown): JsonValue {
    const known = typeof root === 'object' && root !== null ? snapshotBytes(root) : undefined
    if (known !== undefined) {
      this.#spend(known)
      return root as JsonValue
    }
    const copied = this.#value(root)
    while (this.#stack.length > 0) this.#advance(this.#stack[this.#stack.length - 1] as Frame)
    return copied
  }

  /** Copy entries up to the next container, which is on top of the stack then, or to the end. */
  #advance(frame: Frame): void {
    const { source, copy, keys, length } = frame
    const depth = this.#stack.length
    while (frame.at < length) {
      const key = keys === null ? frame.at : (keys[frame.at] as string)
      frame.at++
      const value = this.#read(source, key)
      if (typeof key === 'number') (copy as JsonValue[])[key] = this.#value(value)
      else if (value !== undefined || this.#options.omitUndefined !== true) {
        this.#spend(key.length + 4)
        setOwn(copy as Record<string, JsonValue>, key, this.#value(value))
      }
      if (this.#stack.length !== depth) return
      if (value === HOLE) frame.at = length // one hole says it all, and there may be billions
    }
    if (depth === 1) markSnapshot(copy, this.#bytes)
    Object.freeze(copy)
    this.#open?.delete(source)
    this.#stack.pop()
  }

  /** The copy of a value; a container's is filled while it is on the stack. */
  #value(value: unknown): JsonValue {
    if (typeof value === 'string') {
      this.#spend(value.length + 2)
      return value
    }
    if (typeof value === 'object' && value !== null) return this.#container(value)
    const problem = scalarProblem(value)
    if (problem !== undefined) return this.#refuse(problem)
    this.#spend(5)
    return value as JsonValue
  }

  #container(source: object): JsonValue {
    if (this.#isOpen(source)) return this.#refuse('is a cycle: it contains itself')
    const frame = toFrame(source)
    if (typeof frame === 'string') return this.#refuse(frame)
    if (frame.problem !== undefined) this.#refuse(frame.problem)
    this.#spend(2)
    this.#open?.add(source)
    this.#stack.push(frame)
    return frame.copy as JsonValue
  }

  #isOpen(source: object): boolean {
    if (this.#open !== undefined) return this.#open.has(source)
    if (this.#stack.length === LONG_STACK) this.#open = new Set(this.#stack.map((frame) => frame.source))
    return this.#stack.some((frame) => frame.source === source)
  }

  #read(source: object, key: string | number): unknown {
    try {
      const value: unknown = (source as Record<string | number, unknown>)[key]
      return value === undefined && typeof key === 'number' && !Object.hasOwn(source, key) ? HOLE : value
    } catch (error) {
      return this.#refuse(`cannot be read: ${describeThrown(error)}`)
    }
  }

  #spend(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#maxBytes) throw new JsonValueError('$', tooLarge(this.#options))
  }

  #refuse(problem: string): null {
    const path = this.#stack.map((frame) => (frame.keys === null ? frame.at - 1 : (frame.keys[frame.at - 1] as string)))
    if (this.#problems === undefined) throw new JsonValueError(formatPath(path), problem)
    this.#problems.push({ path, problem })
    return null
  }
}

const LONG_STACK = 16

/** What a hole of a sparse array reads as. */
const HOLE = Symbol('hole')

/** How to copy a container, or in words why it cannot be copied. Never throws, whatever a proxy does. */
function toFrame(source: object): Frame | string {
  try {
    if (Array.isArray(source)) {
      if (!isPlainArray(source)) return `is ${describeForeign(source)}, a subclass of Array`
      return { source, copy: [], keys: null, length: source.length, problem: extraKeys(source), at: 0 }
    }
    if (!isPlainObject(source)) return `is ${describeForeign(source)}`
    const keys = Object.keys(source)
    return { source, copy: {}, keys, length: keys.length, problem: hiddenKeys(source, keys), at: 0 }
  } catch (error) {
    return `cannot be read: ${describeThrown(error)}`
  }
}

/** Define a property, whatever its name; assigning `__proto__` would set the prototype. */
export function setOwn(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
  else target[key] = value
}

function scalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) return `is ${value}`
      return Object.is(value, -0) ? 'is -0' : undefined
    case 'undefined':
      return 'is undefined'
    case 'bigint':
      return 'is a BigInt'
    case 'symbol':
      return value === HOLE ? 'is a hole in a sparse array' : 'is a symbol'
    case 'function':
      return 'is a function'
    default:
      return undefined
  }
}

function tooLarge({ maxBytes }: SnapshotOptions): string {
  return `is larger than the limit of ${maxBytes} bytes`
}
