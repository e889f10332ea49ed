import type { Context } from '@deepseek-ai/cordis'
import type { ScopeKey } from '@dsh/tools'

/** What a Cordis application provides, as the scopes of the runtime see it: looked up in the context of the scope, each time it is needed. */
export class Ports {
  readonly #root: Context
  readonly #contexts = new WeakMap<ScopeKey, Context>()
  #serving = false

  constructor(root: Context) {
    this.#root = root
  }

  /** Look for what a scope needs in this context. */
  attach(key: ScopeKey, ctx: Context): void {
    this.#contexts.set(key, ctx)
  }

  /** Serve while the fiber of `service` lives. Afterwards the scopes find nothing: what needs approval is refused. */
  start(service: Context): void {
    service.effect(() => {
      this.#serving = true
      return () => {
        this.#serving = false
      }
    }, 'ctx.tools: ports')
  }

  /** The service that a scope finds under a name. */
  readonly find = (name: string, key: ScopeKey | undefined): unknown => {
    if (!this.#serving) return undefined
    const ctx = (key && this.#contexts.get(key)) ?? this.#root
    return ctx.get(name)
  }
}
