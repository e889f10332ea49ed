import type { Agent, ScopeKey, ToolExecutionResult } from '../contract/tool.ts'
import { NEVER } from '../pipeline/signals.ts'
import type { ToolScope } from '../registry/layer.ts'
import { Lifetime } from '../scope/lifetime.ts'
import { freshCallId } from '../tool/call-id.ts'
import type { Scope } from './scope.ts'
import { ScopeHost } from './scope-host.ts'
import type { SharedRuntime } from './shared.ts'

/** A scope with its own lifetime, and the scopes below it. */
export class RuntimeScope extends ScopeHost implements Scope {
  readonly #children = new Set<RuntimeScope>()
  readonly #parent: RuntimeScope | undefined

  constructor(shared: SharedRuntime, node: ToolScope, parent?: RuntimeScope) {
    super(shared, node, new Lifetime(shared.hooks.failed))
    this.#parent = parent
    shared.facades.set(node, this.tools)
    if (parent) parent.#children.add(this)
  }

  get key(): ScopeKey | undefined {
    return this.node.key
  }

  async call(
    name: string,
    args: unknown = {},
    options: { readonly signal?: AbortSignal; readonly agent?: Agent } = {},
  ): Promise<ToolExecutionResult> {
    if (typeof name !== 'string') throw new TypeError('A call needs the name of a tool.')
    const { signal = NEVER, agent } = options
    if (typeof signal?.addEventListener !== 'function') throw new TypeError('The signal of a call must be an AbortSignal.')
    await undefined // the caller goes on first, and may abort at once
    return this.shared.kernel.execute({ callId: freshCallId(), name, arguments: args, signal, ...(agent && { agent }) }, {})
  }

  child(key: ScopeKey): Scope {
    return new RuntimeScope(this.shared, this.shared.tree.bind(key, this.node), this)
  }

  dispose(): void {
    if (this.node.disposed) return
    this.node.disposed = true // first, so that nothing can be added below while disposers run
    for (const child of [...this.#children].reverse()) child.dispose()
    this.lifetime.end()
    this.shared.hooks.disposed(this.node)
    if (this.#parent) this.#parent.#children.delete(this)
  }
}
