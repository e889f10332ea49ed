import type { Context, EventOptions, Hook } from '@deepseek-ai/cordis'
import type { ToolEvents } from '@dsh/tools'

type EventName = keyof ToolEvents
// biome-ignore lint/suspicious/noExplicitAny: each event has its own signature; the runtime calls it, and types it where it is added
type Listener = (this: unknown, ...args: any[]) => any

/** Add a listener to the runtime, for the fiber and the scope of a context. @throws TypeError for an unknown event. */
type AddListener = (ctx: Context, event: EventName, listener: never, prepend: boolean) => () => void

/** Brings the `tools/*` listeners of a Cordis application to the runtime. */
export class Listeners {
  readonly #root: Context
  readonly #add: AddListener
  /** What removes them from the runtime. */
  readonly #adopted = new WeakMap<Hook, () => void>()

  constructor(root: Context, add: AddListener) {
    this.#root = root
    this.#add = add
  }

  /** Take listeners from now on, those added before included, for as long as the fiber of `service` lives. */
  start(service: Context): void {
    const add = this.#labelled.bind(this)
    // Cordis types the third argument `prepend: boolean` and the answer `void`: they are the options and the disposer.
    const route = function (this: Context, name: unknown, listener: Listener, options: EventOptions) {
      if (typeof name === 'string' && name.startsWith('tools/')) return add(this, name, listener, options.prepend === true)
    }
    // `global`, because Cordis asks no other handler when the context that listens has a filter
    service.on('internal/listener', route as never, { global: true })
    for (const [event, hooks] of Object.entries(this.#root.events._hooks)) {
      if (event.startsWith('tools/')) this.#adopt(event, hooks)
    }
  }

  /** Listeners that were added while nobody routed them lie in a list of Cordis. */
  #adopt(event: string, hooks: Hook[]): void {
    const found = hooks.filter((hook) => !this.#adopted.has(hook))
    const inOrderOfAdding = [...found.filter((hook) => hook.prepend).reverse(), ...found.filter((hook) => !hook.prepend)]
    for (const hook of inOrderOfAdding) this.#adopted.set(hook, this.#tryToAdd(hook, event))
    this.#watch(hooks)
  }

  /** Cordis tells nobody that a listener goes, but takes it out of its list: so the list tells. */
  #watch(hooks: Hook[]): void {
    const adopted = this.#adopted
    const splice = (...args: Parameters<Hook[]['splice']>): Hook[] => {
      const gone = Array.prototype.splice.apply(hooks, args) as Hook[]
      for (const hook of gone) adopted.get(hook)?.()
      return gone
    }
    Object.defineProperty(hooks, 'splice', { value: splice, configurable: true })
  }

  /** One listener that cannot be adopted does not keep the service from starting. */
  #tryToAdd(hook: Hook, event: string): () => void {
    try {
      return this.#labelled(hook.ctx, event, hook.callback, hook.prepend === true)
    } catch (error) {
      this.#root.logger('tools').error('%s', `A listener of <${hook.ctx.fiber.name}> will hear nothing: ${(error as Error).message}`)
      return () => undefined
    }
  }

  /** Messages of the runtime name the plugin whose listener broke. */
  #labelled(ctx: Context, event: string, listener: Listener, prepend: boolean): () => void {
    if (typeof listener !== 'function') return this.#add(ctx, event as EventName, listener, prepend) // to be refused
    const { name } = ctx.fiber
    const labelled = function (this: unknown, ...args: unknown[]): unknown {
      return listener.apply(this, args)
    }
    Object.defineProperty(labelled, 'name', { value: name === 'root' ? listener.name : name })
    return this.#add(ctx, event as EventName, labelled as never, prepend)
  }
}
