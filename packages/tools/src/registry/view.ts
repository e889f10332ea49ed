import type { ToolDefinition, ToolSchema } from '../contract/tool.ts'
import type { Registration, ToolScope, ToolView } from './layer.ts'

class CachedView implements ToolView {
  readonly revision: number
  readonly byName: ReadonlyMap<string, Registration>
  readonly definitions: readonly ToolDefinition[]
  #schemas: readonly ToolSchema[] | undefined

  constructor(revision: number, byName: ReadonlyMap<string, Registration>) {
    this.revision = revision
    this.byName = byName
    this.definitions = Object.freeze(Array.from(byName.values(), (registration) => registration.definition))
  }

  get schemas(): readonly ToolSchema[] {
    this.#schemas ??= Object.freeze(Array.from(this.byName.values(), ({ compiled }) => compiled.schema))
    return this.#schemas
  }
}

const EMPTY: ToolView = new CachedView(-1, new Map())

/** The view of a scope, cached until something changed there or above. A disposed scope sees nothing. */
export function viewOf(scope: ToolScope): ToolView {
  if (scope.disposed) return EMPTY
  let revision = 0
  for (let at: ToolScope | undefined = scope; at; at = at.parent) revision += at.layer.version
  if (scope.layer.view?.revision !== revision) scope.layer.view = new CachedView(revision, collect(scope))
  return scope.layer.view
}

function collect(scope: ToolScope): Map<string, Registration> {
  const { tools, restrictions } = scope.layer
  const seen = new Map<string, Registration>()
  for (const [name, inherited] of scope.parent ? viewOf(scope.parent).byName : []) {
    if (!tools.has(name) && !hiddenBy(restrictions, name)) seen.set(name, inherited)
  }
  for (const [name, own] of tools) seen.set(name, own)
  return seen
}

/**
 * The registration a scope sees under a name: the nearest one, unless a restriction on the way hides it. Costs the depth
 * of the scope, whatever the number of tools.
 */
export function lookUp(scope: ToolScope, name: string): Registration | undefined {
  if (scope.disposed) return undefined
  const own = scope.layer.tools.get(name)
  if (own !== undefined || scope.parent === undefined) return own
  return hiddenBy(scope.layer.restrictions, name) ? undefined : lookUp(scope.parent, name)
}

function hiddenBy(restrictions: ToolScope['layer']['restrictions'], name: string): boolean {
  for (const restriction of restrictions) if (restriction.hides(name)) return true
  return false
}
