import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inspectJson, isSnapshot, type JsonValueError, snapshotJson } from './snapshot.ts'

const refusal = (value: unknown, options = {}): string => {
  try {
    snapshotJson(value, options)
  } catch (error) {
    expect((error as JsonValueError).name).toBe('JsonValueError')
    return (error as Error).message
  }
  throw new Error('it was accepted')
}

class Point {
  x = 1
}
const withExtra = Object.assign([1], { extra: 1 })
const withHidden = Object.defineProperty({ a: 1 }, 'hidden', { value: 1, enumerable: false })
const sparse = Object.assign(new Array(3), { 0: 1, 2: 2 })
class List extends Array {}
const template = ((strings: TemplateStringsArray) => strings)`text`
const hiddenItem = Object.defineProperty([1, 2], 1, { value: 2, enumerable: false })

describe('a snapshot', () => {
  test('checks, copies and deep-freezes', () => {
    const source = { list: [{ n: 1 }, null, true, 'x'], empty: {} }
    const copy = snapshotJson(source) as typeof source
    expect(copy).toEqual(source)
    expect(copy).not.toBe(source)
    for (const part of [copy, copy.list, copy.list[0], copy.empty]) expect(Object.isFrozen(part)).toBe(true)
    source.list.push('later')
    expect(copy.list).toHaveLength(4)
  })

  test('output already produced by it is recognised and returned as is', () => {
    const copy = snapshotJson({ a: [1] })
    expect(snapshotJson(copy)).toBe(copy)
    expect(isSnapshot(copy)).toBe(true)
    expect(isSnapshot(Object.freeze({ a: 1 }))).toBe(false)
    expect(isSnapshot((copy as { a: unknown }).a)).toBe(false)
    expect(['text', null, 1, undefined, Number.NaN].map(isSnapshot)).toEqual([true, true, true, false, false])
  })

  test('reads every part once, in one pass', () => {
    const reads: string[] = []
    const spy = (target: object, name: string): object =>
      new Proxy(target, { get: (object, key) => (reads.push(name + String(key)), Reflect.get(object, key)) })
    const source = spy({ a: spy([1, 2], 'a.'), b: 1 }, '')
    expect(snapshotJson(source)).toEqual({ a: [1, 2], b: 1 })
    expect(reads.filter((read) => !read.endsWith('length'))).toEqual(['a', 'a.0', 'a.1', 'b'])
  })

  test('runs no code of the value beyond getters and proxy traps: no toJSON, no iterator, no coercion', () => {
    const boom = () => {
      throw new Error('it ran')
    }
    const list = [1]
    expect(refusal({ toJSON: boom })).toBe('$.toJSON is a function')
    expect(refusal({ valueOf: boom })).toBe('$.valueOf is a function')
    expect(refusal(Object.defineProperty(list, Symbol.iterator, { value: boom }))).toMatch(/extra property Symbol/)
  })

  test('any depth, without overflow', () => {
    let deep: unknown = 1
    for (let level = 0; level < 200_000; level++) deep = level % 2 ? [deep] : { a: deep }
    expect(() => snapshotJson(deep)).not.toThrow()
  })

  test('agrees with a JSON round trip on whatever JSON can say', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        fc.pre(!hasMinusZero(value))
        expect(snapshotJson(value)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('a bad value anywhere is refused, naming its path', () => {
    const bad = fc.constantFrom(undefined, 1n, -0, Number.NaN, new Date(), Symbol('x'), () => 1)
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom('a', 'b c', '__proto__'), fc.nat({ max: 3 })), { maxLength: 5 }),
        bad,
        (path, value) => {
          const root = path.reduceRight<unknown>(
            (inner, step) => (typeof step === 'number' ? [...Array(step).fill(0), inner] : Object.fromEntries([[step, inner]])),
            value,
          )
          const shown = path
            .map((step) => (typeof step === 'number' ? `[${step}]` : /^\w+$/.test(step) ? `.${step}` : `["${step}"]`))
            .join('')
          expect(refusal(root).startsWith(`$${shown} is`)).toBe(true)
        },
      ),
    )
  })

  test.each<[string, unknown, RegExp]>([
    ['undefined at the root', undefined, /^\$ is undefined$/],
    ['an undefined property', { a: undefined }, /^\$\.a is undefined$/],
    ['an undefined item', [1, undefined], /^\$\[1\] is undefined$/],
    ['a BigInt', { n: 1n }, /^\$\.n is a BigInt$/],
    ['-0', [-0], /^\$\[0\] is -0$/],
    ['NaN', Number.NaN, /^\$ is NaN$/],
    ['an infinity', -Infinity, /^\$ is -Infinity$/],
    ['a sparse array', sparse, /^\$\[1\] is a hole/],
    ['an array with extra own properties', { l: withExtra }, /^\$\.l is an array with the extra property extra$/],
    ['an array with an extra property that is not enumerable', template, /^\$ is an array with the extra property raw$/],
    ['an array with a symbol key', Object.assign([], { [Symbol('s')]: 1 }), /^\$ is an array with the extra property Symbol\(s\)$/],
    ['an array with a hole and an extra property', Object.assign(new Array(2), { 0: 1, x: 1 }), /^\$\[1\] is a hole/],
    ['an array with an item that is not enumerable', { l: hiddenItem }, /^\$\.l is an array with an item .* not enumerable$/],
    ['an array without a prototype', Object.setPrototypeOf([], null), /subclass of Array$/],
    ['an object that inherits from a plain one', Object.create({ a: 1 }), /^\$ is a/],
    ['an odd key', { 'odd key': [1n] }, /^\$\["odd key"\]\[0\] is a BigInt$/],
    ['a subclass of Array', new List(), /^\$ is a List, a subclass of Array$/],
    ['a class instance', { p: new Point() }, /^\$\.p is a Point$/],
    ['a Date', { at: new Date() }, /^\$\.at is a Date$/],
    ['a Map', new Map(), /^\$ is a Map$/],
    ['a boxed primitive', [Object(1)], /^\$\[0\] is a Number$/],
    ['a function', { f: () => 1 }, /^\$\.f is a function$/],
    ['a symbol', Symbol('s'), /^\$ is a symbol$/],
    ['a symbol key', { [Symbol('s')]: 1 }, /^\$ has the symbol key Symbol\(s\)$/],
    ['a non-enumerable own property', withHidden, /^\$ has the non-enumerable property hidden$/],
    ['a typed array', new Uint8Array(2), /^\$ is a Uint8Array$/],
  ])('%s is refused with path and reason', (_what, value, message) => {
    expect(refusal(value)).toMatch(message)
  })

  test('a cycle is refused; repeated references that are no cycles are copied', () => {
    const cyclic: Record<string, unknown> = { list: [] }
    ;(cyclic['list'] as unknown[]).push({ back: cyclic })
    expect(refusal(cyclic)).toBe('$.list[0].back is a cycle: it contains itself')
    const shared = { n: 1 }
    const copy = snapshotJson({ a: shared, b: [shared, shared] }) as { a: object; b: object[] }
    expect(copy).toEqual({ a: { n: 1 }, b: [{ n: 1 }, { n: 1 }] })
    expect(copy.a).not.toBe(copy.b[0])
  })

  test('null-prototype objects, and plain objects and arrays of another realm, are accepted', () => {
    const bare = Object.assign(Object.create(null), { a: 1 })
    expect(snapshotJson(bare)).toEqual({ a: 1 })
    expect(snapshotJson(runInNewContext('({ a: [1, { b: 2 }] })'))).toEqual({ a: [1, { b: 2 }] })
    expect(refusal(runInNewContext('new Date()'))).toBe('$ is a Date')
    expect(refusal(runInNewContext('new (class Point {})()'))).toBe('$ is a Point')
    expect(refusal(runInNewContext('new (class L extends Array {})()'))).toMatch(/subclass of Array/)
  })

  test('an own key __proto__ is defined, never assigned', () => {
    const copy = snapshotJson(JSON.parse('{"__proto__":{"polluted":1},"constructor":2}')) as Record<string, unknown>
    expect(Object.keys(copy)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(copy['polluted']).toBeUndefined()
  })

  test('getters are read once; one that throws is a refusal', () => {
    let reads = 0
    const once = {
      get n() {
        return ++reads
      },
    }
    expect(snapshotJson(once)).toEqual({ n: 1 })
    expect(reads).toBe(1)
    const throwing = {
      get n() {
        throw new Error('no')
      },
    }
    expect(refusal({ a: throwing })).toBe('$.a.n cannot be read: no')
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('trap')
        },
      },
    )
    expect(refusal([trap])).toMatch(/cannot be read: trap/)
  })

  test('what a getter throws may be hostile or long; the refusal is neither', () => {
    const throwing = (thrown: unknown) => ({
      get n() {
        throw thrown
      },
    })
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(refusal(throwing(proxy))).toBe('$.n cannot be read: its getter threw')
    expect(refusal(throwing(undefined))).toBe('$.n cannot be read: its getter threw')
    expect(refusal(throwing('why'))).toBe('$.n cannot be read: why')
    expect(refusal(throwing(new Error('x'.repeat(10_000)))).length).toBeLessThan(300)
    expect(refusal([proxy])).toMatch(/^\$\[0\] cannot be read: /)
    expect(refusal({ nested: throwing(new TypeError('inner')) })).toBe('$.nested.n cannot be read: inner')
    const gone = new Proxy([1], {
      getOwnPropertyDescriptor: () => Reflect.get(proxy, 'x'),
      get: (_, key) => (key === 'length' ? 1 : undefined),
    })
    expect(refusal(gone)).toMatch(/cannot be read/)
  })

  test('omitUndefined drops properties whose value is undefined, not items', () => {
    expect(snapshotJson({ a: undefined, b: { c: undefined, d: 1 } }, { omitUndefined: true })).toEqual({ b: { d: 1 } })
    expect(refusal([undefined], { omitUndefined: true })).toMatch(/\$\[0\]/)
    expect(refusal(undefined, { omitUndefined: true })).toMatch(/undefined/)
  })

  test('maxBytes bounds the size, also of shared references that multiply', () => {
    expect(refusal('x'.repeat(101), { maxBytes: 100 })).toMatch(/limit of 100 bytes/)
    let bomb: unknown = 'x'
    for (let level = 0; level < 60; level++) bomb = [bomb, bomb]
    expect(refusal(bomb, { maxBytes: 10_000 })).toMatch(/limit/)
    expect(refusal(snapshotJson('x'.repeat(50).split('')), { maxBytes: 100 })).toMatch(/limit of 100 bytes/)
  })

  test('maxBytes is about the length of the JSON text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        fc.pre(!hasMinusZero(value))
        const { length } = JSON.stringify(value)
        expect(() => snapshotJson(value, { maxBytes: 2 * length + 10 })).not.toThrow()
        if (length > 100) expect(() => snapshotJson(value, { maxBytes: length / 8 })).toThrow(/limit/)
      }),
    )
  })

  test('the message of a deep or long path is bounded', () => {
    let deep: unknown
    for (let level = 0; level < 10_000; level++) deep = { ['k'.repeat(1_000)]: deep }
    expect(refusal(deep).length).toBeLessThan(400)
    let pairs: unknown
    for (let level = 0; level < 100; level++) pairs = { [`${'k'.repeat(level)}${'😀'.repeat(100)}`]: pairs }
    expect(refusal(pairs).isWellFormed()).toBe(true)
    expect(refusal({ [Symbol('s'.repeat(10_000))]: 1 }).length).toBeLessThan(200)
    const named = Object.create({ constructor: { name: 'N'.repeat(10_000) } })
    expect(refusal(named).length).toBeLessThan(200)
  })
})

describe('an inspection', () => {
  test('finds every problem and goes on; what was refused is null', () => {
    const cycle: Record<string, unknown> = { ok: 1 }
    cycle['self'] = cycle
    const { value, problems } = inspectJson({ a: undefined, b: [1n, 2, new Date()], c: withHidden, d: sparse, cycle })
    expect(problems.map(({ path, problem }) => [path.join('/'), problem])).toEqual([
      ['a', 'is undefined'],
      ['b/0', 'is a BigInt'],
      ['b/2', 'is a Date'],
      ['c', 'has the non-enumerable property hidden'],
      ['d/1', 'is a hole in a sparse array'],
      ['cycle/self', 'is a cycle: it contains itself'],
    ])
    expect(value).toEqual({ a: null, b: [null, 2, null], c: { a: 1 }, d: [1, null], cycle: { ok: 1, self: null } })
  })

  test('of what is sound is a snapshot', () => {
    const { value, problems } = inspectJson({ a: [1] })
    expect([problems, isSnapshot(value), snapshotJson(value) === value]).toEqual([[], true, true])
    expect(inspectJson('long text', { maxBytes: 3 }).problems).toEqual([{ path: [], problem: 'is larger than the limit of 3 bytes' }])
  })

  test('of an array with four billion holes ends at the first', () => {
    expect(inspectJson(new Array(4_000_000_000)).problems).toHaveLength(1)
  })
})

function hasMinusZero(value: unknown): boolean {
  if (Object.is(value, -0)) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(hasMinusZero)
}
