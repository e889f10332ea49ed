import type { JsonValue } from '../contract/json.ts'
import { brand } from './brand.ts'
import { formatPath } from './path.ts'
import { describeForeign, isPlainArray, isPlainObject } from './plain.ts'

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

const snapshots = new WeakSet<object>()

/** Whether a value is known to be immutable JSON: a scalar, or the root of a snapshot. */
export function isSnapshot(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? snapshots.has(value) : true
}

/**
 * Check, copy and deep-freeze a value in one pass: any depth, linear time. What an earlier call returned is recognised and
 * returned as it is.
 * @throws JsonValueError naming the path and the reason. What a getter or proxy throws is a reason, too.
 */
export function snapshotJson(value: unknown, options: SnapshotOptions = {}): JsonValue {
  if (typeof value === 'object' && value !== null) return snapshots.has(value) ? (value as JsonValue) : new Snapshot(options).copy(value)
  const problem = scalarProblem(value)
  if (problem) throw new JsonValueError('$', problem)
  if (typeof value === 'string' && value.length > (options.maxBytes ?? Infinity)) throw tooLarge(options)
  return value as JsonValue
}

/** A container that is being copied: where its entries come from and go to, and how far it has come. */
interface Frame {
  readonly source: object
  readonly copy: JsonValue[] | Record<string, JsonValue>
  /** Own keys of an object; null for an array, whose keys are its indices. */
  readonly keys: readonly string[] | null
  readonly length: number
  /** The next entry; the one before it is being copied. */
  at: number
}

class Snapshot {
  readonly #omitUndefined: boolean
  readonly #options: SnapshotOptions
  readonly #stack: Frame[] = []
  readonly #open = new Set<object>()
  #budget: number

  constructor(options: SnapshotOptions) {
    this.#options = options
    this.#omitUndefined = options.omitUndefined === true
    this.#budget = options.maxBytes ?? Infinity
  }

  copy(root: object): JsonValue {
    const top = this.#enter(root)
    for (let frame: Frame | undefined = top; frame; frame = this.#stack.at(-1)) {
      if (frame.at === frame.length) this.#leave(frame)
      else if (frame.keys === null) this.#item(frame, frame.at++)
      else this.#property(frame, frame.keys[frame.at++] as string)
    }
    snapshots.add(top.copy)
    return top.copy
  }

  #item(frame: Frame, index: number): void {
    const value = this.#read(frame.source, index)
    if (value === undefined && !Object.hasOwn(frame.source, index)) this.#refuse('is a hole in a sparse array')
    ;(frame.copy as JsonValue[])[index] = this.#value(value)
  }

  #property(frame: Frame, key: string): void {
    const value = this.#read(frame.source, key)
    if (value === undefined && this.#omitUndefined) return
    this.#spend(key.length + 4)
    const copied = this.#value(value)
    const copy = frame.copy as Record<string, JsonValue>
    if (key === '__proto__') Object.defineProperty(copy, key, { value: copied, enumerable: true, writable: true, configurable: true })
    else copy[key] = copied
  }

  /** The copy of a value; a container's is filled while it is on the stack. */
  #value(value: unknown): JsonValue {
    if (typeof value === 'string') {
      this.#spend(value.length + 2)
      return value
    }
    if (typeof value === 'object' && value !== null) return this.#enter(value).copy as JsonValue
    const problem = scalarProblem(value)
    if (problem) this.#refuse(problem)
    this.#spend(5)
    return value as JsonValue
  }

  #enter(source: object): Frame {
    if (this.#open.has(source)) this.#refuse('is a cycle: it contains itself')
    const frame = this.#attempt(() => toFrame(source))
    if (typeof frame === 'string') this.#refuse(frame)
    this.#spend(2)
    this.#open.add(source)
    this.#stack.push(frame)
    return frame
  }

  #leave(frame: Frame): void {
    Object.freeze(frame.copy)
    this.#open.delete(frame.source)
    this.#stack.pop()
  }

  #read(source: object, key: string | number): unknown {
    try {
      return (source as Record<string | number, unknown>)[key]
    } catch (error) {
      return this.#refuse(`cannot be read: ${error instanceof Error ? error.message : 'its getter threw'}`)
    }
  }

  #attempt<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      return this.#refuse(`cannot be read: ${error instanceof Error ? error.message : 'its proxy threw'}`)
    }
  }

  #spend(bytes: number): void {
    this.#budget -= bytes
    if (this.#budget < 0) throw tooLarge(this.#options)
  }

  #refuse(problem: string): never {
    const path = this.#stack.map((frame) => (frame.keys === null ? frame.at - 1 : (frame.keys[frame.at - 1] as string)))
    throw new JsonValueError(formatPath(path), problem)
  }
}

function toFrame(source: object): Frame | string {
  if (Array.isArray(source)) {
    if (!isPlainArray(source)) return `is ${describeForeign(source)}, a subclass of Array`
    const keys = Reflect.ownKeys(source)
    if (keys.length > source.length + 1) return `is an array with the extra property ${String(keys.find((key) => !isIndex(key)))}`
    return { source, copy: [], keys: null, length: source.length, at: 0 }
  }
  if (!isPlainObject(source)) return `is ${describeForeign(source)}`
  const keys = Object.keys(source)
  if (Reflect.ownKeys(source).length !== keys.length) return hiddenKey(source)
  return { source, copy: {}, keys, length: keys.length, at: 0 }
}

function isIndex(key: string | symbol): boolean {
  return key === 'length' || (typeof key === 'string' && /^(0|[1-9]\d*)$/.test(key))
}

function hiddenKey(source: object): string {
  const hidden = Reflect.ownKeys(source).find((key) => typeof key === 'symbol' || !Object.getOwnPropertyDescriptor(source, key)?.enumerable)
  return typeof hidden === 'symbol' ? `has the symbol key ${String(hidden)}` : `has the non-enumerable property ${String(hidden)}`
}

function scalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined
    case 'number':
      if (!Number.isFinite(value)) return `is ${value}`
      return Object.is(value, -0) ? 'is -0' : undefined
    case 'bigint':
      return 'is a BigInt'
    case 'object':
      return undefined
    default:
      return typeof value === 'undefined' ? 'is undefined' : `is a ${typeof value}`
  }
}

function tooLarge({ maxBytes }: SnapshotOptions): JsonValueError {
  return new JsonValueError('$', `is larger than the limit of ${maxBytes} bytes`)
}
