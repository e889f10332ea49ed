import type { Clock } from '../contract/ports.ts'
import type { Scoped, ToolsService } from '../contract/service.ts'
import type { ToolDiagnostic } from '../contract/tool.ts'
import type { ToolLayer, ToolScope } from '../registry/layer.ts'
import type { ScopeTree } from '../scope/scope-tree.ts'
import type { ListenerError } from '../scope/waterfall.ts'
import type { KeyLocks } from './key-locks.ts'
import type { SignalHubs } from './signals.ts'

/** Bounds that a host may set. */
export interface RuntimeLimits {
  /** Size of one canonical value, about the bytes of its JSON. Default 64 MiB. */
  readonly maxValueBytes: number
  /** How long a body may run on after its signal fired before `tools/stalled`. Default 5,000. */
  readonly stallWarningMs: number
}

/** What the pipeline needs of the runtime it runs in. */
export interface PipelineCore {
  readonly tree: ScopeTree<ToolLayer>
  readonly clock: Clock
  readonly limits: RuntimeLimits
  readonly signals: SignalHubs
  readonly keys: KeyLocks
  /** The `this` of a listener. */
  toolsOf(scope: ToolScope): Scoped<ToolsService>
  report(diagnostic: ToolDiagnostic, scope: ToolScope): void
  /** A policy broke: its call fails closed, and the host learns why. */
  policyFailed(error: unknown): void
  /** An observer failed; it is contained and told to the host. */
  observerFailed(error: ListenerError): void
}
