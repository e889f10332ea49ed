import type { ToolExecutor } from '../contract/executor.ts'
import type { Scoped, ToolsService } from '../contract/service.ts'
import type { ToolLayer, ToolScope } from '../registry/layer.ts'
import type { Registry } from '../registry/registry.ts'
import type { ScopeTree } from '../scope/scope-tree.ts'
import type { Hooks } from './hooks.ts'
import type { Kernel } from './kernel.ts'

/** What all scopes of one runtime share. */
export interface SharedRuntime {
  readonly tree: ScopeTree<ToolLayer>
  readonly hooks: Hooks
  /** The one `tools` of each scope, which its listeners get as `this`. */
  readonly facades: WeakMap<ToolScope, Scoped<ToolsService>>
  readonly registry: Registry
  readonly kernel: Kernel
  /** What runs batches where nobody ever selected another executor. */
  readonly native: ToolExecutor
}
