/**
 * The circle: a definition names its run context, which names the tool set, which names definitions.
 * Everything that takes part in it lives in this one file; every other contract file imports it, never the reverse.
 */
import type { ContentBlock, UserMessage } from './content.ts'
import type { JsonSchemaNode, JsonValue, ObjectJsonSchema } from './json.ts'
import type { ToolCallView, ToolResultView } from './presentation.ts'
import type { SessionSink } from './session.ts'

/** Identity of one scope, compared by reference. Any object: an `Agent` is the key of its own scope. */
export type ScopeKey = object

/** On whose behalf a call runs. The core knows no more of agents; `@dsh/agent` adds the rest. */
export interface Agent {
  readonly id: string
  /** The agent's session log, when it keeps one. */
  readonly session?: SessionSink
}

/** The model chosen for one step. It lies in session logs: a type, because it is JSON. */
export type ModelSelection = {
  readonly provider: string
  readonly model: string
  readonly reasoningEffort?: string
}

declare const toolCallIdBrand: unique symbol
/** Correlates a call with its result. Not unique: a model may send one id twice. Made by `toToolCallId`. */
export type ToolCallId = string & { readonly [toolCallIdBrand]: true }

declare const toolExecutionTokenBrand: unique symbol
/** Opaque call identity that permits correlation without exposing mutable execution state. */
export type ToolExecutionToken = symbol & { readonly [toolExecutionTokenBrand]: true }

/** What a model is told about one tool. */
export type ToolSchema = {
  readonly name: string
  readonly description: string
  /** The arguments, in the enforced subset. */
  readonly parameters: ObjectJsonSchema
}

/** Canonical failure detail; internal routing information remains optional. */
export type ToolFailure = {
  /** What happened, where and what to do next, without the `Error: ` envelope of model-facing content. */
  readonly message: string
  readonly info?: ToolErrorInfo
}

/** Structured identity of a failure, beside the model-facing text. */
export type ToolErrorInfo = {
  readonly name: string
  readonly code: string
  /** Raw detail for people and logs. It never reaches the model. */
  readonly reason?: string
  /** The body threw it as retryable: the same call may succeed when it is repeated. */
  readonly retryable?: true
}

/** Successful canonical outcome, including its model-facing projection. */
export interface ToolExecutionSuccess {
  readonly isError: false
  /** Execution-local canonical value; deliberately omitted from durable events. */
  readonly value: JsonValue
  readonly content: ContentBlock[]
  readonly error?: never
  readonly meta?: JsonValue
  readonly additionalContexts?: UserMessage[]
  /** The agent loop stops after committing this result's batch. */
  readonly concludesTurn?: true
}

/** Failed canonical outcome; failures never carry a successful value. */
export interface ToolExecutionFailure {
  readonly isError: true
  readonly error: ToolFailure
  readonly value?: never
  readonly content: ContentBlock[]
  readonly meta?: JsonValue
  readonly additionalContexts?: UserMessage[]
  readonly concludesTurn?: never
}

/** The outcome of one tool call. */
export type ToolExecutionResult = ToolExecutionSuccess | ToolExecutionFailure

/** The durable projection of a result, which `presentResult` draws from. */
export type ToolResult = {
  readonly content: readonly ContentBlock[]
  readonly isError: boolean
  readonly error?: ToolFailure
  readonly meta?: JsonValue
}

/** Tool-owned canonical output contract, applied to what the body returns. */
export interface ToolOutputDefinition {
  /** Enforced against every successful canonical value. */
  readonly schema: JsonSchemaNode
  /** `omit` drops properties that are `undefined` before the value is checked; by default they are refused, naming the path. */
  readonly undefinedProperties?: 'omit' | 'refuse'
  /** Pure projection from validated arguments and value to model-facing content. */
  render(args: unknown, value: JsonValue): ContentBlock[]
  /** Pure, replayable presentation data for cards, kept in the log beside the content. */
  presentationMeta?(args: unknown, value: JsonValue): JsonValue
}

/** What the world may have felt of a body: nothing, the same when repeated, or who knows. */
export type ToolEffects = 'none' | 'idempotent' | 'unknown'

/** A registered tool: its schema, its output contract, and the body. */
export interface ToolDefinition extends ToolSchema {
  readonly output: ToolOutputDefinition
  /**
   * Run one accepted call and return its canonical lossless-JSON value. Work must observe `exec.signal` and settle only
   * after everything it started has stopped: the runtime waits for it and cannot kill code of its own process.
   * @param args - validated, frozen model arguments.
   * @param exec - execution identity, cancellation signal, progress and context deferral.
   */
  execute(args: unknown, exec: ToolRunContext): Promise<unknown>
  /**
   * Replace the content before post-execute policies see it. Captured when the call starts; runs once for an outcome
   * that enters post-execute.
   * @returns replacement content, or undefined to keep what `render` made.
   */
  projectContent?(exec: Readonly<ToolExecution>, result: Readonly<ToolExecutionResult>): ContentBlock[] | undefined
  /**
   * Last-mile synchronous transform of model-facing content. Captured when the call starts; runs exactly once for every
   * outcome of it, also for failures that bypass post-execute. Must be total: when it throws, the content stays as it was.
   * @returns replacement content, or undefined to keep it.
   */
  finalizeContent?(exec: Readonly<ToolExecution>, result: Readonly<ToolExecutionResult>): ContentBlock[] | undefined
  /** Cooperative deadline in milliseconds, enforced by the timeout policy. Never sent to the model. */
  readonly timeoutMs?: number
  /** What repeating the body would do to the world. Absent means `unknown`. */
  readonly effects?: ToolEffects
  /**
   * Pure synchronous classifier: may this call overlap with its siblings? Only `true` opts in; omission, exceptions and
   * anything else mean exclusive.
   */
  isConcurrencySafe?(args: unknown): boolean
  /**
   * What the body reads and writes, as keys: a file, a table. Calls of the runtime that read a key overlap, one that writes it is alone
   * on it, first come, first served; calls whose keys are disjoint pay each other no heed. The keys are held while wrappers and body
   * run: a body must not wait for another call that wants one of them. Synchronous; may look at the world (resolve a link), never change it.
   * @returns undefined to leave the question to `isConcurrencySafe`; anything else that is no {@link ToolAccess}, and an exception, mean exclusive.
   */
  access?(args: unknown): ToolAccess | undefined
  /** How to show the pending call. Pure, replayable: depends on `args` alone. Undefined falls back to a generic card. */
  presentCall?(args: unknown): ToolCallView | undefined
  /** How to show the settled call. Pure, replayable. Undefined keeps the pending title and the raw content. */
  presentResult?(args: unknown, result: ToolResult): ToolResultView | undefined
}

/** Parsed input to the shared pipeline, which adds the token to form a {@link ToolExecution}. */
export interface ToolExecutionInput {
  readonly callId: ToolCallId
  /** Root model-requested call owning this execution tree; omitted for a root call, propagated by nested dispatchers. */
  readonly rootCallId?: ToolCallId
  readonly name: string
  /** Binding-time schema of a program's sub-call; frozen by its producer and never logged. */
  readonly schema?: ToolSchema
  /** Losslessly JSON-serializable parsed arguments. */
  readonly arguments: unknown
  readonly agent?: Agent
  /** Step admission. Conditional tools require it. */
  readonly toolSet?: ResolvedToolSet
  /** Token of the enclosing transport execution. Marks a program's sub-call, as opposed to a model-direct call. */
  readonly parent?: ToolExecutionToken
  /** Caller-owned cancellation of this call. */
  readonly signal: AbortSignal
  /** The `seq` of its `tool/call` in the agent's session; absent for a call that is not logged. */
  readonly callSeq?: number
  /**
   * The same for every attempt at this call, also for one after a crash, and for no other call: hand it to a service that drops
   * repeated requests. Derived from session and `callSeq`; absent for a call that is not logged, or whose session gives none.
   */
  readonly idempotencyKey?: string
}

/**
 * One call inside the pipeline: the same object at every stage, so that a policy may key a WeakMap on it. Arguments are
 * deep-frozen before policy, and so is the object itself, but for the signal that wrappers may replace.
 */
export interface ToolExecution extends ToolExecutionInput {
  readonly rootCallId: ToolCallId
  /** The definition that runs, as captured when the call started; absent for a tool that does not exist. */
  readonly definition?: ToolDefinition
  /** Runtime-assigned identity, shared with nested calls only as their opaque `parent`. */
  readonly token: ToolExecutionToken
}

/** What `tools/execute` wrappers see: they may replace the signal, and the caller's own is fused back in before the body. */
export interface ToolDispatchExecution extends Omit<ToolExecution, 'signal'> {
  /** Cancellation visible to the next wrapper or the body. */
  signal: AbortSignal
}

/** What a body gets beside its arguments: the one execution object of the call, with the methods that are the body's alone. */
export interface ToolRunContext extends ToolExecution {
  /**
   * Attach context to this call's own result; the loop appends it after the result. Contexts keep their order, survive
   * failure and cancellation, and are dropped by a block.
   */
  deferContext(context: UserMessage): void
  /** Mark a successful final result as the end of the current turn. */
  concludeTurn(): void
  /**
   * Tell observers (`tools/progress`) how far the work has come. Slow observers get the newest report; nothing is
   * delivered after the body settled.
   * @param progress - text, or any lossless JSON value.
   * @throws TypeError when the value is not lossless JSON.
   */
  progress(progress: JsonValue): void
}

/** What a call reads and writes. Keys are compared by code unit and belong to the runtime: `file:/srv/a.txt`, `table:users`. */
export type ToolAccess = {
  readonly reads?: readonly string[]
  readonly writes?: readonly string[]
}

/**
 * Whether a pending call may overlap with its siblings (`parallel`), runs alone as an ordering barrier (`exclusive`), or may overlap but
 * with calls, of any batch, that use the same keys (`keyed`).
 */
export type ToolExecutionMode =
  | { readonly kind: 'parallel' }
  | { readonly kind: 'exclusive' }
  | ({ readonly kind: 'keyed' } & Required<ToolAccess>)

/** A guard may refuse a call or stay silent. It has no way to say yes, so order cannot turn a refusal around. */
export type ToolGuard = (execution: Readonly<ToolExecution>) => string | undefined

/**
 * Pre-dispatch decision. `allow` runs the call; `deny` gives the model a reason; `cancel` is the caller's cancellation,
 * not a denial; `ask` runs only after the approval service answers `allowed-once`. Arguments cannot be rewritten:
 * history, audit, cards and execution must agree.
 */
export type PreToolDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly reason: string; readonly info?: ToolErrorInfo }
  | { readonly kind: 'cancel' }
  | {
      readonly kind: 'ask'
      /** The audited reason. */
      readonly reason?: string
      /** The prompt a person reads, by locale. */
      readonly displayReason?: { readonly en: string; readonly [locale: string]: string }
    }

/** Post-dispatch decision: accept, replace content or value (never both), add context, or block with feedback. */
export type PostToolDecision =
  | { readonly kind: 'accept'; readonly content?: ContentBlock[]; readonly value?: never; readonly additionalContexts?: UserMessage[] }
  | { readonly kind: 'accept'; readonly value: JsonValue; readonly content?: never; readonly additionalContexts?: UserMessage[] }
  | { readonly kind: 'block'; readonly feedback: ContentBlock[]; readonly additionalContexts?: UserMessage[] }

/** One settled sub-call of a program, about to be logged. Only the logged copy of `content` may be reshaped. */
export interface PtcDispatchLog {
  /** The outer `run_code` execution. */
  readonly exec: ToolExecution
  readonly agent?: Agent
  /** `<parent>:ptc:<n>`, by submission. */
  readonly subCallId: ToolCallId
  readonly name: string
  readonly isError: boolean
  readonly content: ContentBlock[]
}

/** Something a host should know and nobody has to handle: a late value, a throwing `finalizeContent`, an ambiguous schema. */
export interface ToolDiagnostic {
  readonly kind: string
  readonly message: string
  readonly tool?: string
  readonly callId?: ToolCallId
  readonly detail?: JsonValue
}

/** A scope's live filter over what it inherits. Restrictions intersect; the scope's own registrations stay visible. */
export interface ToolRestriction {
  /** Inherited names that stay visible; everything else is hidden. */
  readonly allow?: readonly string[]
  /** Inherited names that are hidden. */
  readonly deny?: readonly string[]
}

/** Inputs of a registration's step-time condition. */
export interface ToolActivationContext {
  /** Agent preparing the step. */
  readonly agent: Agent
  readonly modelSelection: Readonly<ModelSelection>
  /** Cancellation of step preparation; asynchronous conditions must observe it. */
  readonly signal: AbortSignal
}

/** Options of one registration. */
export interface ToolRegistrationOptions {
  /**
   * Decide whether a step may call the tool; omission enables it. False hides it from declarations and dispatch alike;
   * a rejection fails the step's preparation. Must not register anything or start tool work.
   */
  readonly when?: (context: ToolActivationContext) => boolean | Promise<boolean>
}

/** One step's admitted registrations. Never resurrects a removed registration. */
export interface ResolvedToolSet {
  /** Close admission, after the step's batch has settled. Idempotent. */
  dispose(): void
  /**
   * Admitted registrations that are still visible.
   * @param scope - the exact agent the set was resolved for; any other scope sees nothing.
   */
  view(scope: ScopeKey | undefined): ReadonlyMap<string, ToolDefinition>
}
