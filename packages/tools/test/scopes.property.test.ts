import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Scope } from '../src/index.ts'
import { rawTool, testRuntime } from './fixtures.ts'

// Random registrations, restrictions, shadows and disposals in a small tree of scopes, against a model that knows no caches.

const NAMES = ['a', 'b', 'c', 'd'] as const
type Name = (typeof NAMES)[number]

interface ModelScope {
  readonly parent: ModelScope | undefined
  readonly key: object | undefined
  readonly scope: Scope
  readonly own: Map<Name, string>
  readonly restrictions: Set<{ readonly allow?: readonly Name[]; readonly deny?: readonly Name[] }>
  readonly undo: Set<() => void>
  disposed: boolean
}

/** What a scope sees, by the words of the contract: nearest wins, restrictions filter what is inherited, a disposed scope sees nothing. */
function sees(at: ModelScope): Map<Name, string> {
  if (at.disposed) return new Map()
  const seen = new Map<Name, string>()
  for (const [name, value] of at.parent ? sees(at.parent) : []) {
    const hidden = [...at.restrictions].some(({ allow, deny }) => (allow !== undefined && !allow.includes(name)) || deny?.includes(name))
    if (!hidden && !at.own.has(name)) seen.set(name, value)
  }
  for (const [name, value] of at.own) seen.set(name, value)
  return seen
}

const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('register' as const), at: fc.nat(4), name: fc.constantFrom(...NAMES) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('restrict' as const),
      at: fc.nat(4),
      names: fc.subarray([...NAMES], { minLength: 1 }),
      allow: fc.boolean(),
      sloppy: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const), at: fc.nat(4), which: fc.nat(10) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('child' as const), at: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dispose' as const), at: fc.nat(4) }) },
)

function dispose(at: ModelScope, all: readonly ModelScope[]): void {
  for (const below of all) if (below.parent === at) dispose(below, all)
  at.disposed = true
}

test('scopes agree with a model that knows no caches', () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 20, maxLength: 60 }), (commands) => {
      const { runtime } = testRuntime()
      let made = 0
      const scope = (parent: ModelScope | undefined, real: Scope): ModelScope => ({
        parent,
        key: real.key,
        scope: real,
        own: new Map(),
        restrictions: new Set(),
        undo: new Set(),
        disposed: false,
      })
      const scopes = [scope(undefined, runtime)]
      for (const step of commands) {
        const at = scopes[step.at % scopes.length] as ModelScope
        if (step.kind === 'dispose') {
          if (at.parent === undefined) continue
          at.scope.dispose()
          dispose(at, scopes)
        } else if (at.disposed) {
          expect(() => at.scope.tools.register(rawTool('a', async () => 1))).toThrow(/disposed/)
        } else if (step.kind === 'child') {
          if (scopes.length < 6) scopes.push(scope(at, at.scope.child({})))
        } else if (step.kind === 'undo') {
          const [undo] = [...at.undo].slice(step.which % Math.max(1, at.undo.size))
          undo?.()
        } else if (step.kind === 'register') {
          const tool = rawTool(step.name, async () => 1, { description: `tool ${made++}` })
          if (at.own.has(step.name)) {
            expect(() => at.scope.tools.register(tool)).toThrow(/already registered/)
            continue
          }
          const unregister = at.scope.tools.register(tool)
          at.own.set(step.name, tool.description)
          const undo = () => {
            unregister()
            if (at.undo.delete(undo)) at.own.delete(step.name)
          }
          at.undo.add(undo)
        } else {
          const inherited = at.parent ? sees(at.parent) : new Map()
          const names = step.sloppy ? step.names : step.names.filter((name) => inherited.has(name))
          const filter = step.allow ? { allow: names } : { deny: names }
          if (at.parent === undefined || !names.every((name) => inherited.has(name)) || (!step.allow && names.length === 0)) {
            expect(() => at.scope.tools.restrict(filter)).toThrow(TypeError)
            continue
          }
          const lift = at.scope.tools.restrict(filter)
          at.restrictions.add(filter)
          const undo = () => {
            lift()
            if (at.undo.delete(undo)) at.restrictions.delete(filter)
          }
          at.undo.add(undo)
        }
        for (const each of scopes) {
          const expected = sees(each)
          const definitions = runtime.tools.definitions(each.key)
          expect(definitions.map(({ name, description }) => [name, description])).toEqual([...expected])
          for (const name of NAMES) {
            expect(runtime.tools.get(name, each.key)?.description).toBe(expected.get(name))
            expect(runtime.tools.explain(name, each.key).callable).toBe(expected.has(name))
          }
        }
      }
    }),
    { numRuns: 150 },
  )
}, 60_000)
