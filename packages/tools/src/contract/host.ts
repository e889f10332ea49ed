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
  // biome-ignore lint/suspicious/noExplicitAny: the host a plugin names may be narrower or wider (a Cordis context); the mount checks it
  plugin<C>(plugin: { apply(host: any, config: C): unknown }, config: C): PromiseLike<unknown> & { dispose(): Promise<void> }
}

/** A tool or a policy that mounts on any {@link Host}. A bare function is taken by an overload of `plugin()`. */
export interface Plugin<C = void> {
  readonly name?: string
  /** What it needs: it starts when all are there and stops when one goes. A plugin that touches `host.tools` names `tools`. */
  readonly inject?: readonly (keyof Services | 'tools')[]
  apply(host: Host, config: C): void | Promise<void>
}
