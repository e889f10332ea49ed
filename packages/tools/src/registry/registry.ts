import type { ToolExecutor } from '../contract/executor.ts'
import type { ToolDefinition, ToolGuard, ToolRegistrationOptions, ToolRestriction } from '../contract/tool.ts'
import { ambiguousBranches } from '../schema/ambiguity.ts'
import type { Lifetime } from '../scope/lifetime.ts'
import { checkDefinition } from './check-definition.ts'
import type { Registration, ToolScope } from './layer.ts'
import { compileRestriction, restrictionProblems } from './restriction.ts'
import { viewOf } from './view.ts'

/** Told about every change, and about what is odd and allowed. */
export interface RegistryObserver {
  changed(): void
  ambiguous(tool: string, message: string, scope: ToolScope): void
}

/** Where a registration goes, and what it is disposed with. */
export interface Owner {
  readonly scope: ToolScope
  readonly lifetime: Lifetime
}

/** The writing side of the layers: every change goes through here, is owned by a lifetime, and is announced. */
export class Registry {
  readonly #observer: RegistryObserver

  constructor(observer: RegistryObserver) {
    this.#observer = observer
  }

  register({ scope, lifetime }: Owner, definition: ToolDefinition, options: ToolRegistrationOptions): () => void {
    lifetime.assertLive('register a tool')
    const { when } = options
    const { tools } = scope.layer
    const compiled = checkDefinition(definition, tools, options)
    const { name } = definition
    const registration: Registration = { definition, compiled, when }
    this.#warnAmbiguous(registration, scope)
    return this.#change(
      { scope, lifetime },
      () => tools.set(name, registration),
      () => tools.get(name) === registration && tools.delete(name),
    )
  }

  restrict(owner: Owner, filter: ToolRestriction): () => void {
    const { scope, lifetime } = owner
    lifetime.assertLive('restrict tools')
    if (scope.parent === undefined) {
      throw new TypeError('A restriction filters what a scope inherits, and the root inherits nothing: restrict a child scope.')
    }
    const inherited = new Set(viewOf(scope.parent).byName.keys())
    const problems = restrictionProblems(filter ?? {}, inherited, new Set(scope.layer.tools.keys()))
    if (problems.length > 0)
      throw new TypeError(`The restriction is not possible:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    const restriction = compileRestriction(filter)
    const { restrictions } = scope.layer
    return this.#change(
      owner,
      () => restrictions.add(restriction),
      () => restrictions.delete(restriction),
    )
  }

  guard({ scope, lifetime }: Owner, guard: ToolGuard): () => void {
    if (typeof guard !== 'function') throw new TypeError('A guard must be a function.')
    lifetime.assertLive('register a guard')
    const entry: ToolGuard = (execution) => guard(execution) // the same function registered twice is two guards
    scope.layer.guards = [...scope.layer.guards, entry]
    return lifetime.own(() => {
      scope.layer.guards = scope.layer.guards.filter((other) => other !== entry)
    })
  }

  setExecutor(owner: Owner, executor: ToolExecutor): () => void {
    if (typeof executor?.execute !== 'function' || typeof executor.describe !== 'function') {
      throw new TypeError('An executor has describe(tools) and execute(batch) methods.')
    }
    owner.lifetime.assertLive('select an executor')
    const { layer } = owner.scope
    const entry = { executor } // one executor may be selected twice: its disposers are two
    return this.#change(
      owner,
      () => {
        layer.executors = [...(layer.executors ?? []), entry]
      },
      () => {
        layer.executors = (layer.executors ?? []).filter((other) => other !== entry)
      },
    )
  }

  #change({ scope, lifetime }: Owner, apply: () => unknown, undo: () => unknown): () => void {
    const commit = (edit: () => unknown) => {
      edit()
      scope.layer.version++
      this.#observer.changed()
    }
    const dispose = lifetime.own(() => commit(undo))
    commit(apply)
    return dispose
  }

  #warnAmbiguous({ compiled, definition }: Registration, scope: ToolScope): void {
    for (const part of ['parameters', 'output'] as const) {
      for (const { path, branches } of ambiguousBranches(compiled[part].schema)) {
        const where = path.replace('$', part === 'output' ? 'output.schema' : part)
        const message = `${where}.oneOf: branches ${branches.join(' and ')} cannot be told apart, so a value that fits both is refused.`
        this.#observer.ambiguous(definition.name, message, scope)
      }
    }
  }
}

/**
 * The executor a scope selects: the newest of the nearest scope that ever selected one, or `native` where none ever did.
 * Undefined while the selection is unavailable.
 */
export function executorOf(scope: ToolScope, native: ToolExecutor): ToolExecutor | undefined {
  if (scope.disposed) return undefined
  for (let at: ToolScope | undefined = scope; at; at = at.parent) {
    if (at.layer.executors !== null) return at.layer.executors.at(-1)?.executor
  }
  return native
}

/** The guards of a scope and those above it, outermost first. */
export function guardsOf(scope: ToolScope): readonly ToolGuard[] {
  const inherited = scope.parent === undefined ? [] : guardsOf(scope.parent)
  if (inherited.length === 0) return scope.layer.guards
  return scope.layer.guards.length === 0 ? inherited : [...inherited, ...scope.layer.guards]
}
