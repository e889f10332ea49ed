import type { ToolEvents } from '../contract/events.ts'
import type { Host, Plugin } from '../contract/host.ts'
import type { Services } from '../contract/ports.ts'
import type { ToolsService } from '../contract/service.ts'
import type { Agent, ScopeKey, ToolExecutionResult } from '../contract/tool.ts'
import { NEVER } from '../pipeline/signals.ts'
import type { ToolScope } from '../registry/layer.ts'
import { Lifetime } from '../scope/lifetime.ts'
import { addListener } from '../scope/listeners.ts'
import { type Mountable, mountPlugin, toMountable } from '../scope/mount-plugin.ts'
import { provideService, serviceAt } from '../scope/services.ts'
import { freshCallId } from '../tool/call-id.ts'
import { Kernel } from './kernel.ts'
import { type RuntimeOptions, toSettings } from './options.ts'
import { ScopedTools } from './tools-service.ts'

/** A function that mounts as a plugin. One that touches `host.tools` says so in `inject`. */
export type PluginFunction<C> = ((host: Host, config: C) => void | Promise<void>) & { readonly inject?: Plugin['inject'] }

/** An object that mounts as a plugin: a {@link Plugin}, or one written for a Cordis context. */
export interface PluginObject<C> {
  readonly name?: string
  readonly inject?: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: the host a plugin names may be narrower or wider (a Cordis context); the mount checks it
  apply(host: any, config: C): unknown
}

/** A mounted plugin: awaiting it tells how `apply` ended, `dispose` unmounts it and settles when `apply` has too. */
export type MountedPlugin = PromiseLike<void> & { dispose(): Promise<void> }

/** One scope of a runtime, and the host that plugins are mounted on. */
export interface Scope extends Host {
  /** The key this scope is bound to; undefined for the root. */
  readonly key: ScopeKey | undefined
  /**
   * Run one call through the pipeline, whatever executor is selected. Rejects only for misuse: what the call does is the result.
   * @param args - parsed arguments.
   */
  call(name: string, args?: unknown, options?: { readonly signal?: AbortSignal; readonly agent?: Agent }): Promise<ToolExecutionResult>
  /** Make the scope of a key: it inherits what this one sees. A key is bound once, even after its scope is disposed. */
  child(key: ScopeKey): Scope
  /** Mount a bare function. */
  plugin(plugin: PluginFunction<void>): MountedPlugin
  plugin<C>(plugin: PluginFunction<C>, config: C): MountedPlugin
  plugin(plugin: PluginObject<void>): MountedPlugin
  plugin<C>(plugin: PluginObject<C>, config: C): MountedPlugin
  /**
   * Dispose the scopes below, newest first, then everything registered here, in reverse order. Waits for nothing that runs;
   * later look-ups for this scope's key find nothing. Idempotent.
   */
  dispose(): void
}

/**
 * Make a runtime. Its root scope is what comes back.
 *
 * @example
 * const runtime = createRuntime()
 * runtime.tools.register(weather)
 * const result = await runtime.call('weather', { city: 'Oslo' })
 * @throws TypeError naming an option that is out of range.
 */
export function createRuntime(options: RuntimeOptions = {}): Scope {
  const kernel = new Kernel(toSettings(options), (of, scope) => new ScopedTools(of, { scope, lifetime: new Lifetime(of.failed) }))
  return new RuntimeScope(kernel, kernel.tree.root)
}

/** What is registered through it belongs to a lifetime: the whole scope's, or one plugin's within it. */
class ScopeHost implements Host {
  protected readonly kernel: Kernel
  protected readonly node: ToolScope
  protected readonly lifetime: Lifetime
  readonly #plugin: Mountable | undefined
  readonly #tools: ScopedTools

  constructor(kernel: Kernel, node: ToolScope, lifetime: Lifetime, plugin?: Mountable) {
    this.kernel = kernel
    this.node = node
    this.lifetime = lifetime
    this.#plugin = plugin
    this.#tools = new ScopedTools(kernel, { scope: node, lifetime })
  }

  get tools(): ToolsService & { readonly scope: ScopeKey | undefined } {
    if (this.#plugin && !this.#plugin.needs.includes('tools')) {
      throw new Error(`The plugin ${this.#plugin.label} uses host.tools and does not say so: add inject: ['tools'] to it.`)
    }
    return this.#tools
  }

  on<K extends keyof ToolEvents>(event: K, listener: ToolEvents[K], options: { prepend?: boolean } = {}): () => void {
    if (typeof listener !== 'function') throw new TypeError(`A listener of ${event} must be a function.`)
    this.lifetime.assertLive(`listen to ${event}`)
    const label = this.#plugin?.label ?? (listener.name || `a listener of ${event}`)
    // Everybody hears every change, so its listeners live at the root; they still go with the one that added them.
    const at = event === 'tools/change' ? this.kernel.tree.root : this.node
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
    if (service === undefined || service === null) throw new TypeError(`The service ${name} must be an object.`)
    const withdraw = provideService(this.node, name, service)
    const dispose = this.lifetime.own(() => {
      withdraw()
      this.kernel.servicesChanged()
    })
    this.kernel.servicesChanged()
    return dispose
  }

  plugin(plugin: unknown, config?: unknown): MountedPlugin {
    const { kernel, node } = this
    this.lifetime.assertLive('mount a plugin')
    return mountPlugin(toMountable(plugin), config, {
      lifetime: this.lifetime,
      host: (lifetime, mounted) => new ScopeHost(kernel, node, lifetime, mounted),
      has: (name) => name === 'tools' || serviceAt(node, name) !== undefined,
      onServices(changed) {
        kernel.serviceWatchers.add(changed)
        return () => kernel.serviceWatchers.delete(changed)
      },
      onError: kernel.failed,
    })
  }
}

class RuntimeScope extends ScopeHost implements Scope {
  readonly #children = new Set<RuntimeScope>()
  readonly #parent: RuntimeScope | undefined

  constructor(kernel: Kernel, node: ToolScope, parent?: RuntimeScope) {
    super(kernel, node, new Lifetime(kernel.failed))
    this.#parent = parent
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
    return this.kernel.execute({ callId: freshCallId(), name, arguments: args, signal, ...(agent && { agent }) }, {})
  }

  child(key: ScopeKey): Scope {
    return new RuntimeScope(this.kernel, this.kernel.tree.bind(key, this.node), this)
  }

  dispose(): void {
    if (this.node.disposed) return
    for (const child of [...this.#children].reverse()) child.dispose()
    this.node.disposed = true
    this.lifetime.end()
    if (this.#parent) this.#parent.#children.delete(this)
    this.node.parent?.children.delete(this.node)
  }
}
