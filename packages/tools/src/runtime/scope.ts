import type { Host } from '../contract/host.ts'
import type { Agent, ScopeKey, ToolExecutionResult } from '../contract/tool.ts'

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
  /**
   * Dispose the scopes below, newest first, then everything registered here, in reverse order. Waits for nothing that runs;
   * later look-ups for this scope's key find nothing. Idempotent.
   */
  dispose(): void
}
