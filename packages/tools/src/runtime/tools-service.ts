import { admitted, stepLists } from '../admission/admit.ts'
import { resolveToolSet } from '../admission/condition.ts'
import type { ToolBatchInput, ToolBatchResult, ToolExecutor, ToolModelInput, ToolPromptSection } from '../contract/executor.ts'
import type { ToolExplanation, ToolsService } from '../contract/service.ts'
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
} from '../contract/tool.ts'
import { PIPELINE } from '../pipeline/pipeline.ts'
import { explain } from '../registry/explain.ts'
import { executorOf, guardsOf, type Owner } from '../registry/registry.ts'
import { lookUp, viewOf } from '../registry/view.ts'
import { classify } from '../scheduler/classify.ts'
import { executeBatch } from './batch.ts'
import type { SharedRuntime } from './shared.ts'

/** `tools` of one scope, as one owner of registrations sees it. Holds no state: the layers do. */
export class ScopedTools implements ToolsService {
  readonly scope: ScopeKey | undefined
  readonly #shared: SharedRuntime
  readonly #owner: Owner

  constructor(shared: SharedRuntime, owner: Owner) {
    this.#shared = shared
    this.#owner = owner
    this.scope = owner.scope.key
    Object.defineProperty(this, PIPELINE, { value: shared.kernel })
  }

  register(definition: ToolDefinition, options: ToolRegistrationOptions = {}): () => void {
    return this.#shared.registry.register(this.#owner, definition, options)
  }

  restrict(filter: ToolRestriction): () => void {
    return this.#shared.registry.restrict(this.#owner, filter)
  }

  guard(guard: ToolGuard): () => void {
    return this.#shared.registry.guard(this.#owner, guard)
  }

  setExecutor(executor: ToolExecutor): () => void {
    return this.#shared.registry.setExecutor(this.#owner, executor)
  }

  get(name: string, scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolDefinition | undefined {
    const at = this.#shared.tree.at(scope)
    return toolSet ? admitted(at, name, scope, toolSet) : lookUp(at, name)?.definition
  }

  executable(name: string, scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolDefinition | undefined {
    return admitted(this.#shared.tree.at(scope), name, scope, toolSet)
  }

  executionMode(exec: Pick<ToolExecution, 'name' | 'arguments' | 'agent' | 'toolSet'>): ToolExecutionMode {
    return classify(this.executable(exec.name, exec.agent, exec.toolSet), exec.arguments)
  }

  explain(name: string, scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolExplanation {
    return explain(this.#shared.tree.at(scope), name, toolSet?.view(scope).has(name))
  }

  resolve(context: ToolActivationContext): Promise<ResolvedToolSet> {
    return resolveToolSet(this.#shared.tree.at(context.agent), context)
  }

  definitions(scope?: ScopeKey, toolSet?: ResolvedToolSet): readonly ToolDefinition[] {
    return toolSet ? stepLists(toolSet.view(scope)).definitions : viewOf(this.#shared.tree.at(scope)).definitions
  }

  schemas(scope?: ScopeKey, toolSet?: ResolvedToolSet): readonly ToolSchema[] {
    return toolSet ? stepLists(toolSet.view(scope)).schemas : viewOf(this.#shared.tree.at(scope)).schemas
  }

  modelInput(scope?: ScopeKey, toolSet?: ResolvedToolSet): ToolModelInput {
    return this.#selected(scope).describe(this.definitions(scope, toolSet))
  }

  sections(scope?: ScopeKey): readonly ToolPromptSection[] {
    return [...(this.#selected(scope).sections ?? [])].sort((a, b) => a.order - b.order)
  }

  execute(input: ToolBatchInput): Promise<ToolBatchResult> {
    return executeBatch(input, (agent) => executorOf(this.#shared.tree.at(agent), this.#shared.native))
  }

  checkGuards(exec: ToolExecution): string | undefined {
    for (const guard of guardsOf(this.#shared.tree.at(exec.agent))) {
      const reason = guard(exec)
      if (reason !== undefined) return reason
    }
    return undefined
  }

  report(diagnostic: ToolDiagnostic, scope?: ScopeKey): void {
    this.#shared.hooks.report(diagnostic, this.#shared.tree.at(scope))
  }

  #selected(scope: ScopeKey | undefined): ToolExecutor {
    const executor = executorOf(this.#shared.tree.at(scope), this.#shared.native)
    if (executor === undefined)
      throw new Error('No executor is selected for this scope any more: it has been disposed, or select one with setExecutor().')
    return executor
  }
}
