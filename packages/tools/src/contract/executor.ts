import type { UserMessage } from './content.ts'
import type { Agent, ResolvedToolSet, ScopeKey, ToolCallId, ToolDefinition, ToolExecutionResult, ToolSchema } from './tool.ts'

/** One raw call as the model made it. */
export interface ToolCallBlock {
  readonly type: 'tool-call'
  /** Absent: the batch gives it a fresh one. Two calls may share an id; they are two calls all the same. */
  readonly callId?: ToolCallId
  readonly name: string
  /** The text the model produced. Blank text means `{}`. */
  readonly arguments: string
}

/** Raw model calls, with optional agent ownership and model-step logging. */
export interface ToolBatchInput {
  readonly calls: readonly ToolCallBlock[]
  readonly signal: AbortSignal
  /** Positive integer, overrides the executor's cap on running bodies for this batch. */
  readonly maxParallelToolCalls?: number
  /** Supplies scoped tools and execution context. Absent for a stand-alone call. */
  readonly agent?: Agent
  /** Step admission of every call, sub-calls of programs included. Absent admits unconditional registrations only. */
  readonly toolSet?: ResolvedToolSet
  /** The committed model step that receives call and result events; requires `agent`. */
  readonly log?: ToolBatchLog
}

/** Where the calls of a batch stand in the session of their agent. */
export interface ToolBatchLog {
  readonly turn: number
  readonly step: number
  /** By position in the batch: calls that are in the log already, and run again after a crash. */
  readonly resumed?: readonly (LoggedCall | undefined)[]
}

/** A call that is in the log, and has no result there. */
export interface LoggedCall {
  /** The `seq` of its `tool/call`. */
  readonly seq: number
  /** How often its body was started. */
  readonly attempts: number
}

/** One settled result with the id of its call. */
export interface ToolCallResult {
  readonly callId: ToolCallId
  readonly result: ToolExecutionResult
}

/** Outcomes in input order, and the contexts accepted for the next step. */
export interface ToolBatchResult {
  readonly results: readonly ToolCallResult[]
  readonly additionalContexts: readonly UserMessage[]
  readonly concluded: boolean
}

/** A call of a broken batch that has no result. */
export interface MissingToolCall {
  /** Position in the batch. */
  readonly index: number
  readonly callId: ToolCallId
  readonly name: string
  /** Whether its body had begun: then nobody knows what it did. */
  readonly bodyStarted: boolean
}

/** What a tool provider contributes to one model request. */
export interface ToolProviderResult {
  readonly schemas: readonly ToolSchema[]
  /** Every name that exists before restrictions, for checking configuration; defaults to the names of `schemas`. */
  readonly knownNames?: readonly string[]
}

/** Model-call schemas produced by an executor. */
export type ToolModelInput = Pick<ToolProviderResult, 'schemas' | 'knownNames'>

/** Guidance that enters the system prompt, in ascending `order`. */
export interface ToolPromptSection {
  readonly id: string
  readonly order: number
  render(scope: ScopeKey | undefined): string
}

/** Owns argument parsing, dispatch, scheduling, cancellation and logging of raw batches. */
export interface ToolExecutor {
  /** Guidance that lives and goes with this executor. */
  readonly sections?: readonly ToolPromptSection[]
  /**
   * Describe the model's callable tools.
   * @param tools - visible definitions, after scoped restrictions.
   */
  describe(tools: readonly ToolDefinition[]): ToolModelInput
  /**
   * Execute a complete batch: one outcome per call, in input order, after everything it started has settled.
   * @throws ToolBatchExecutionError after draining, when the machinery itself failed.
   */
  execute(input: ToolBatchInput): Promise<ToolBatchResult>
}
