import type { ToolEvents } from './events.ts'
import type { Services } from './ports.ts'
import type { ToolsService } from './service.ts'

/** What a plugin is mounted on: our scope, or a Cordis context. What it registers is disposed with the mount. */
export interface Host {
  readonly tools: ToolsService
  /** Add a listener, behind those already there or, with `prepend`, before them. @returns its disposer. */
  on<K extends keyof ToolEvents>(event: K, listener: ToolEvents[K], options?: { prepend?: boolean }): () => void
  /** Run `execute` now and the disposer it returns once: when called, or with the mount. */
  effect(execute: () => () => void): () => void
  /** The nearest service of that name, or undefined. */
  get<K extends keyof Services>(name: K): Services[K] | undefined
  /** Provide a service to this scope and those below. @returns the disposer that withdraws it. */
  provide<K extends keyof Services>(name: K, service: Services[K]): () => void
  /** Mount a plugin. Awaiting the handle tells how its `apply` ended; `dispose` unmounts it. */
  plugin<C = void>(plugin: PluginFunction<C>, ...config: PluginConfig<C>): PluginHandle
  plugin<C = void>(plugin: PluginObject<C>, ...config: PluginConfig<C>): PluginHandle
}

/** A mounted plugin: awaiting it tells how `apply` ended, `dispose` unmounts it and waits for nothing that runs. */
export type PluginHandle = PromiseLike<unknown> & { dispose(): Promise<void> }

/** The configuration of a plugin: left out where it may be undefined. */
export type PluginConfig<C> = undefined extends C ? [config?: C] : [config: C]

/** A function that mounts as a plugin. One that touches `host.tools` says so in a property `inject`. */
// biome-ignore lint/suspicious/noExplicitAny: the host a plugin names may be narrower or wider (a Cordis context); the mount checks it
export type PluginFunction<C> = ((host: any, config: C) => unknown) & { readonly inject?: object }

/** An object that mounts as a plugin: a {@link Plugin}, or one written for a Cordis context. */
export type PluginObject<C> = {
  readonly name?: string
  readonly inject?: object
  // biome-ignore lint/suspicious/noExplicitAny: as in PluginFunction
  apply(host: any, config: C): unknown
  /** Keeps functions out, whose `apply` is Function.prototype's. */
  readonly bind?: never
}

/** A tool or a policy that mounts on any {@link Host}. A bare function mounts, too. */
export interface Plugin<C = void> {
  readonly name?: string
  /** What it needs: it starts when all are there and stops when one goes. A plugin that touches `host.tools` names `tools`. */
  readonly inject?: readonly (keyof Services | 'tools')[]
  apply(host: Host, config: C): void | Promise<void>
}
