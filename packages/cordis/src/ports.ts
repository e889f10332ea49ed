import { Context } from '@deepseek-ai/cordis'
import type { Scope } from '@dsh/tools'
import type { Services } from '@dsh/tools/ports'

/** What a runtime may look up in its scopes and does not bring itself. */
const PORTS = ['approval', 'agents', 'model', 'results', 'codeRuntime'] as const satisfies readonly (keyof Services)[]
type Port = (typeof PORTS)[number]

/** What a scope finds where its context is isolated from the service of the others and has none of its own: never theirs. */
const NONE = Object.freeze({})

/** Shows the scopes of a runtime what their Cordis contexts provide, as it comes and goes. */
export class Ports {
  readonly #root: Context
  readonly #views = new Set<View>()
  #watching = false

  constructor(root: Context) {
    this.#root = root
  }

  /** Show a scope what its context provides, where that differs from what the scopes above it see. Ends with the scope. */
  attach(ctx: Context, scope: Scope): void {
    const isRoot = scope.key === undefined
    const names = PORTS.filter((name) => isRoot || ctx[Context.isolate][name] !== this.#root[Context.isolate][name])
    if (names.length === 0) return
    const view = new View(ctx, scope, names, isRoot ? undefined : NONE)
    this.#views.add(view)
    scope.effect(() => () => this.#views.delete(view))
    if (this.#watching) view.refresh()
  }

  /** Watch while the fiber of `service` lives. Afterwards the scopes find no port: what needs approval is refused. */
  start(service: Context): void {
    service.on('internal/service', () => this.#refresh(), { global: true })
    service.effect(() => {
      this.#watching = true
      this.#refresh()
      return () => {
        this.#watching = false
        for (const view of this.#views) view.clear()
      }
    }, 'ctx.tools: ports')
  }

  #refresh(): void {
    for (const view of this.#views) view.refresh()
  }
}

/** The ports of one scope. */
class View {
  readonly #ctx: Context
  readonly #scope: Scope
  readonly #names: readonly Port[]
  readonly #absent: object | undefined
  readonly #withdraw = new Map<Port, () => void>()

  constructor(ctx: Context, scope: Scope, names: readonly Port[], absent: object | undefined) {
    this.#ctx = ctx
    this.#scope = scope
    this.#names = names
    this.#absent = absent
  }

  refresh(): void {
    for (const name of this.#names) {
      this.#withdraw.get(name)?.()
      this.#withdraw.delete(name)
      const service: unknown = this.#ctx.get(name) ?? this.#absent
      if (service !== undefined) this.#withdraw.set(name, this.#scope.provide(name, service as never))
    }
  }

  clear(): void {
    for (const withdraw of this.#withdraw.values()) withdraw()
    this.#withdraw.clear()
  }
}
