import type { ToolExecutor } from '../contract/executor.ts'
import type { ToolDefinition, ToolGuard, ToolRegistrationOptions, ToolSchema } from '../contract/tool.ts'
import type { ScopeNode } from '../scope/scope-tree.ts'
import type { CompiledTool } from '../tool/compiled.ts'
import type { CompiledRestriction } from './restriction.ts'

/** One registration of a definition. Its identity is what admission and disposal are bound to. */
export interface Registration {
  readonly definition: ToolDefinition
  readonly compiled: CompiledTool
  readonly when: ToolRegistrationOptions['when']
}

/** Everything one scope sees, in registration order, ancestors first. Immutable. */
export interface ToolView {
  readonly revision: number
  readonly byName: ReadonlyMap<string, Registration>
  readonly definitions: readonly ToolDefinition[]
  readonly schemas: readonly ToolSchema[]
}

/** What one scope itself contributes. */
export interface ToolLayer {
  readonly tools: Map<string, Registration>
  readonly restrictions: Set<CompiledRestriction>
  guards: readonly ToolGuard[]
  /** Selected executors, newest last. Null means nobody ever selected one here. */
  executors: readonly { readonly executor: ToolExecutor }[] | null
  /** Grows with every change of `tools` and `restrictions`. */
  version: number
  view: ToolView | undefined
}

/** A scope with its tools. */
export type ToolScope = ScopeNode<ToolLayer>

/** The layer of a new scope. */
export function createLayer(): ToolLayer {
  return { tools: new Map(), restrictions: new Set(), guards: [], executors: null, version: 0, view: undefined }
}
