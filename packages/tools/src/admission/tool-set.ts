import type { ResolvedToolSet, ScopeKey, ToolDefinition } from '../contract/tool.ts'
import type { Registration, ToolScope } from '../registry/layer.ts'
import { lookUp, viewOf } from '../registry/view.ts'

const NOTHING: ReadonlyMap<string, ToolDefinition> = new Map()

/** One step's admitted registrations: those resolved for it, as far as they are still the ones their scope sees. */
export class StepToolSet implements ResolvedToolSet {
  readonly #agent: ScopeKey
  readonly #scope: ToolScope
  #admitted: ReadonlyMap<string, Registration>
  #view: ReadonlyMap<string, ToolDefinition> = NOTHING
  #revision: number | undefined

  constructor(agent: ScopeKey, scope: ToolScope, admitted: ReadonlyMap<string, Registration>) {
    this.#agent = agent
    this.#scope = scope
    this.#admitted = admitted
  }

  dispose(): void {
    this.#admitted = new Map()
    this.#revision = undefined
  }

  view(scope: ScopeKey | undefined): ReadonlyMap<string, ToolDefinition> {
    if (scope !== this.#agent || this.#admitted.size === 0) return NOTHING
    const { revision } = viewOf(this.#scope)
    if (revision !== this.#revision) {
      this.#revision = revision
      this.#view = this.#visible()
    }
    return this.#view
  }

  #visible(): ReadonlyMap<string, ToolDefinition> {
    const visible = new Map<string, ToolDefinition>()
    for (const [name, registration] of this.#admitted) {
      if (lookUp(this.#scope, name) === registration) visible.set(name, registration.definition)
    }
    return sealed(visible)
  }
}

/** A map that admits nothing more, whoever holds it. */
function sealed<K, V>(map: Map<K, V>): ReadonlyMap<K, V> {
  const refuse = () => {
    throw new TypeError('The tools of a step cannot be changed: tools.resolve() decided them.')
  }
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }))
}
