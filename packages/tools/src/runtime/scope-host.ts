import type { ToolEvents } from '../contract/events.ts'
import type { Host, PluginHandle } from '../contract/host.ts'
import type { Services } from '../contract/ports.ts'
import type { ToolScope } from '../registry/layer.ts'
import { nearest } from '../registry/nearest.ts'
import type { Lifetime } from '../scope/lifetime.ts'
import { addListener } from '../scope/listeners.ts'
import { type Mountable, mountPlugin, toMountable } from '../scope/mount-plugin.ts'
import { provideService, serviceAt } from '../scope/services.ts'
import type { SharedRuntime } from './shared.ts'
import { ScopedTools } from './tools-service.ts'

/** What is registered through it belongs to a lifetime: the whole scope's, or one plugin's within it. */
export class ScopeHost implements Host {
  protected readonly shared: SharedRuntime
  protected readonly node: ToolScope
  protected readonly lifetime: Lifetime
  readonly #plugin: Mountable | undefined
  readonly #tools: ScopedTools

  constructor(shared: SharedRuntime, node: ToolScope, lifetime: Lifetime, plugin?: Mountable) {
    this.shared = shared
    this.node = node
    this.lifetime = lifetime
    this.#plugin = plugin
    this.#tools = new ScopedTools(shared, { scope: node, lifetime })
  }

  get tools(): ScopedTools {
    if (this.#plugin && !this.#plugin.needs.includes('tools')) {
      throw new Error(`The plugin ${this.#plugin.label} uses host.tools and does not say so: add inject: ['tools'] to it.`)
    }
    return this.#tools
  }

  on<K extends keyof ToolEvents>(event: K, listener: ToolEvents[K], options: { prepend?: boolean } = {}): () => void {
    assertEvent(event)
    if (typeof listener !== 'function') throw new TypeError(`A listener of ${event} must be a function.`)
    this.lifetime.assertLive(`listen to ${event}`)
    const label = this.#plugin?.label ?? (listener.name || `a listener of ${event}`)
    // Everybody hears every change, so its listeners live at the root; they still go with the one that added them.
    const at = event === 'tools/change' ? this.shared.tree.root : this.node
    return this.lifetime.own(addListener(at, event, { call: listener, label, prepend: options.prepend ?? false }))
  }

  effect(execute: () => () => void): () => void {
    this.lifetime.assertLive('start an effect')
    const undo = execute()
    if (typeof undo !== 'function') throw new TypeError('An effect must return the function that undoes it.')
    return this.lifetime.own(undo)
  }

  get<K extends keyof Services>(name: K): Services[K] | undefined {
    return serviceAt(this.node, name) as Services[K] | undefined
  }

  provide<K extends keyof Services>(name: K, service: Services[K]): () => void {
    this.lifetime.assertLive(`provide ${name}`)
    if ((typeof service !== 'object' && typeof service !== 'function') || service === null)
      throw new TypeError(`The service ${name} must be an object.`)
    const withdraw = provideService(this.node, name, service)
    const dispose = this.lifetime.own(() => {
      withdraw()
      this.shared.hooks.servicesChanged()
    })
    this.shared.hooks.servicesChanged()
    return dispose
  }

  plugin(plugin: unknown, config?: unknown): PluginHandle {
    const { shared, node } = this
    this.lifetime.assertLive('mount a plugin')
    return mountPlugin(toMountable(plugin), config, {
      lifetime: this.lifetime,
      host: (lifetime, mounted) => new ScopeHost(shared, node, lifetime, mounted),
      has: (name) => name === 'tools' || serviceAt(node, name) !== undefined,
      onServices(changed) {
        shared.hooks.serviceWatchers.add(changed)
        return () => shared.hooks.serviceWatchers.delete(changed)
      },
      onError: shared.hooks.failed,
    })
  }
}

const EVENTS: Readonly<Record<keyof ToolEvents, true>> = {
  'tools/change': true,
  'tools/pre-execute': true,
  'tools/execute': true,
  'tools/post-execute': true,
  'tools/ptc-dispatch-log': true,
  'tools/result': true,
  'tools/progress': true,
  'tools/stalled': true,
  'tools/diagnostic': true,
  'tools/disposed': true,
}

/** A policy on a misspelt event would never run, and nobody would know. Events outside `tools/` belong to those who dispatch them. */
function assertEvent(event: string): void {
  if (!event.startsWith('tools/') || Object.hasOwn(EVENTS, event)) return
  const near = nearest(
    event.slice('tools/'.length),
    Object.keys(EVENTS).map((name) => name.slice('tools/'.length)),
  )
  const hint =
    near.length > 0
      ? ` Did you mean ${near.map((name) => `tools/${name}`).join(' or ')}?`
      : ` The events are ${Object.keys(EVENTS).join(', ')}.`
  throw new TypeError(`There is no event ${JSON.stringify(event)}.${hint}`)
}
