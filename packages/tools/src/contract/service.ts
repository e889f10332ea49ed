import type { ToolBatchInput, ToolBatchResult, ToolExecutor, ToolModelInput, ToolPromptSection } from './executor.ts'
import type {
  ResolvedToolSet,
  ScopeKey,
  ToolActivationContext,
  ToolDefinition,
  ToolDiagnostic,
  ToolExecution,
  ToolExecutionMode,
  ToolGuard,
  ToolRegistrationOptions,
  ToolRestriction,
  ToolSchema,
} from './tool.ts'

/** `T`, with the scope it was dispatched for: the `this` of a listener. Undefined is the root scope. */
export type Scoped<T> = T & { readonly scope: ScopeKey | undefined }

/** Whether a name is callable in a scope, and if not, what hides it. `message` says the same in words. */
export type ToolExplanation =
  | { readonly callable: true; readonly origin: 'own' | 'inherited'; readonly shadows: boolean; readonly message: string }
  | {
      readonly callable: false
      readonly because: 'unknown' | 'restricted' | 'conditional' | 'not-admitted' | 'disposed'
      /** The restriction that hides it, for `restricted`. */
      readonly restriction?: ToolRestriction
      /** Names close to an unknown one. */
      readonly nearest?: readonly string[]
      /** An inherited tool of that name would be callable, but this scope's own registration shadows it. */
      readonly shadows: boolean
      readonly message: string
    }

/**
 * The registry, and the dispatcher of raw batches, as one scope sees them. What is registered goes to the scope whose
 * `tools` is asked and is disposed with it; what is looked up is named by a scope key, and an omitted one is the root view.
 * A key that was never bound is seen at the root; a disposed key sees nothing.
 */
export interface ToolsService {
  /**
   * Register in this scope. An inherited tool of that name is shadowed.
   * @returns the idempotent disposer of exactly this registration.
   * @throws TypeError naming every problem of the definition at once, a duplicate in this layer included.
   */
  register(definition: ToolDefinition, options?: ToolRegistrationOptions): () => void
  /**
   * Hide inherited tools from this scope.
   * @throws TypeError at the root, for an empty filter, and for an unknown, own or reserved name (with near names).
   */
  restrict(filter: ToolRestriction): () => void
  /** The definition a scope sees. Without `toolSet`, conditional registrations are shown: for inspection. O(1). */
  get(name: string, scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolDefinition | undefined
  /** The definition a call may execute. Without `toolSet`, conditional registrations are unavailable. O(1). */
  executable(name: string, scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolDefinition | undefined
  /** Whether a pending call may overlap with its siblings. Pure; unknown tools and failing classifiers are exclusive. */
  executionMode(exec: Pick<ToolExecution, 'name' | 'arguments' | 'agent' | 'toolSet'>): ToolExecutionMode
  /** Say for any name whether it is callable in a scope, and if not, what hides it. */
  explain(name: string, scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolExplanation
  /**
   * Evaluate all conditions of one step, concurrently and once.
   * @throws the signal's reason when cancelled, or the first rejection of a condition: nothing partial is ever returned.
   */
  resolve(context: ToolActivationContext): Promise<ResolvedToolSet>
  /** Visible definitions in registration order, ancestors first. */
  definitions(scope?: ScopeKey, toolSet?: ResolvedToolSet): readonly ToolDefinition[]
  /** The model-facing schemas of `definitions`: cached, deep-frozen, shared. O(1) until something changed for the scope. */
  schemas(scope?: ScopeKey, toolSet?: ResolvedToolSet): readonly ToolSchema[]
  /** What a model is given: the selected executor's description of the visible definitions. @throws Error while the selection is unavailable. */
  modelInput(scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolModelInput
  /** The selected executor's prompt sections, in order. @throws Error while the selection is unavailable. */
  sections(scope?: ScopeKey): readonly ToolPromptSection[]
  /** Select the executor of this scope and those below. Disposing the last selection leaves it unavailable. */
  setExecutor(executor: ToolExecutor): () => void
  /**
   * Hand a raw batch to the executor of its agent's scope. Settles after every body it started.
   * @throws ToolBatchExecutionError with the results so far and the calls that have none; TypeError for `log` without `agent`.
   */
  execute(input: ToolBatchInput): Promise<ToolBatchResult>
  /** Register a monotonic denial in this scope. */
  guard(guard: ToolGuard): () => void
  /** The first denial among the guards of the call's scope and those above, or undefined. */
  checkGuards(exec: ToolExecution): string | undefined
  /** Raise `tools/diagnostic` in a scope, and tell the host's logger. */
  report(diagnostic: ToolDiagnostic, scope?: ScopeKey): void
}
