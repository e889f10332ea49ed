import type { ContentBlock } from './content.ts'
import type { JsonValue } from './json.ts'
import type { Scoped, ToolsService } from './service.ts'
import type {
  PostToolDecision,
  PreToolDecision,
  PtcDispatchLog,
  ScopeKey,
  ToolDiagnostic,
  ToolDispatchExecution,
  ToolExecution,
  ToolExecutionResult,
} from './tool.ts'

/** One report of a body about its work: text, or a value. */
export interface ToolProgress {
  readonly text?: string
  readonly value?: JsonValue
}

/** How long a body has been running since its signal fired. */
export interface ToolStall {
  /** Clock time at which the signal fired, milliseconds since the epoch. */
  readonly abortedAtMs: number
  readonly waitedMs: number
}

/**
 * The events of the runtime. A call's events are heard in the scope of its agent and in every scope above it;
 * `tools/change` is heard everywhere.
 */
export interface ToolEvents {
  /** Emitted when a registration, a restriction or an executor changed anywhere. */
  'tools/change'(): void
  /** Waterfall: allow, deny, cancel or ask. `next()` may be called once. A listener that throws fails the call. */
  'tools/pre-execute'(this: Scoped<ToolsService>, exec: ToolExecution, next: () => Promise<PreToolDecision>): Promise<PreToolDecision>
  /** Waterfall around the body. `next()` gives a normalised result and may be called again after it settled (a retry). */
  'tools/execute'(
    this: Scoped<ToolsService>,
    exec: ToolDispatchExecution,
    next: () => Promise<ToolExecutionResult>,
  ): Promise<ToolExecutionResult>
  /** Waterfall: accept, replace, enrich or block a normalised result. `next()` may be called once. */
  'tools/post-execute'(
    this: Scoped<ToolsService>,
    exec: ToolExecution,
    result: Readonly<ToolExecutionResult>,
    next: () => Promise<PostToolDecision>,
  ): Promise<PostToolDecision>
  /** Waterfall over the logged copy of a sub-call's content. A listener that throws leaves it as it was. */
  'tools/ptc-dispatch-log'(
    this: Scoped<ToolsService>,
    dispatch: PtcDispatchLog,
    next: () => Promise<ContentBlock[]>,
  ): Promise<ContentBlock[]>
  /** Emitted with the frozen execution and outcome. Observers cannot change anything; their failures are contained. */
  'tools/result'(this: Scoped<ToolsService>, exec: Readonly<ToolExecution>, result: Readonly<ToolExecutionResult>): undefined
  /** Emitted while a body runs. */
  'tools/progress'(exec: Readonly<ToolExecution>, progress: ToolProgress): void
  /** Emitted when a body still runs a while after its signal fired; the executor goes on waiting. */
  'tools/stalled'(exec: Readonly<ToolExecution>, since: ToolStall): void
  /** Emitted for what a host should know and nobody has to handle. */
  'tools/diagnostic'(diagnostic: ToolDiagnostic): void
  /** Emitted in the turn in which the scope of a key is disposed, in the scopes above it: what was kept for the key can go. */
  'tools/disposed'(key: ScopeKey): void
}
