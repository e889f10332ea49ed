import type { Host, Plugin } from '../contract/host.ts'
import type { Agent, ScopeKey, ToolExecutionResult } from '../contract/tool.ts'

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
