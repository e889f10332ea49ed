import { admitted } from '../admission/admit.ts'
import type { UserMessage } from '../contract/content.ts'
import type { ToolProgress } from '../contract/events.ts'
import type { JsonValue } from '../contract/json.ts'
import type {
  Agent,
  ResolvedToolSet,
  ToolCallId,
  ToolDefinition,
  ToolExecutionInput,
  ToolExecutionToken,
  ToolFailure,
  ToolGuard,
  ToolRunContext,
  ToolSchema,
} from '../contract/tool.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { failure } from '../outcome/failures.ts'
import { thrownText } from '../outcome/thrown.ts'
import type { ToolScope } from '../registry/layer.ts'
import { guardsOf } from '../registry/registry.ts'
import { type ListenerTable, listenersAt } from '../scope/listeners.ts'
import { emit } from '../scope/waterfall.ts'
import { type CompiledTool, compileTool } from '../tool/compiled.ts'
import { Attempt, type AttemptOwner } from './attempt.ts'
import type { PipelineCore } from './core.ts'
import { CallSignal } from './signals.ts'
import type { CallTurns } from './turns.ts'

/** What an executor may say about a call beside its input. */
export interface ExecutionOptions {
  /** Run this definition instead of looking one up: a transport such as `run_code`, which is never registered. */
  readonly definition?: ToolDefinition
  /** Refuse the call before any policy: arguments that could not be parsed, a tool that cannot be called this way. */
  readonly refusal?: ToolFailure
  /** How the batch orders this call among its siblings. Absent: it waits for nobody. */
  readonly turns?: CallTurns
  /** Told when the body begins, before anything of it runs. */
  readonly onBodyStart?: () => void
}

/**
 * One call, from arrival to outcome. Everything that belongs to the call lives here and dies with it. Definition, guards
 * and listeners are captured when it starts: what changes later is for later calls.
 */
export class Invocation implements AttemptOwner {
  readonly core: PipelineCore
  readonly scope: ToolScope
  readonly listeners: ListenerTable
  readonly guards: readonly ToolGuard[]
  readonly definition: ToolDefinition | undefined
  readonly compiled: CompiledTool | undefined
  readonly projectContent: ToolDefinition['projectContent']
  readonly finalizeContent: ToolDefinition['finalizeContent']
  readonly turns: CallTurns | undefined
  readonly onBodyStart: (() => void) | undefined
  readonly refusal: ToolFailure | undefined
  readonly signals: CallSignal
  readonly exec: Execution
  /** The attempt at the body that counts: the last one. */
  attempt: Attempt | undefined
  /** Contexts added by wrappers and post-execute policies. */
  contexts: UserMessage[] = []
  /** Wrappers are running: the signal may be replaced. */
  dispatching = false

  constructor(core: PipelineCore, input: ToolExecutionInput, options: ExecutionOptions) {
    this.core = core
    this.scope = core.tree.at(input.agent)
    this.listeners = listenersAt(this.scope)
    this.guards = guardsOf(this.scope)
    const definition = options.definition ?? admitted(this.scope, input.name, input.agent, input.toolSet)
    this.definition = definition
    this.compiled = definition && compileTool(definition)
    this.projectContent = definition?.projectContent
    this.finalizeContent = definition?.finalizeContent
    this.turns = options.turns
    this.onBodyStart = options.onBodyStart
    this.signals = new CallSignal(input.signal, core.callers)
    const args = materialise(input)
    this.refusal = options.refusal ?? args.refusal
    this.exec = new Execution(this, input, args.value)
  }

  /** Whether there is a tool to run: narrows the type. */
  callable(): this is CallableInvocation {
    return this.definition !== undefined
  }

  get callerGone(): boolean {
    return this.signals.caller.aborted
  }

  get bodyStarted(): boolean {
    return this.attempt !== undefined
  }

  get concludesTurn(): boolean {
    return this.attempt?.concludesTurn === true
  }

  /** The contexts of the attempt that counts, then those that were added around and after it. */
  allContexts(): readonly UserMessage[] {
    return [...(this.attempt?.contexts ?? []), ...this.contexts]
  }

  /** A block drops what the body and its wrappers deferred. */
  dropContexts(): void {
    this.contexts = []
    if (this.attempt) this.attempt.contexts.length = 0
  }

  /** Begin another attempt at the body; what an earlier one deferred is dropped. */
  beginAttempt(): Attempt {
    this.contexts = []
    this.attempt = new Attempt(this)
    return this.attempt
  }

  deliverProgress(report: ToolProgress): Promise<void> | undefined {
    return emit(this.listeners.of('tools/progress'), undefined, [this.exec, report], this.core.observerFailed)
  }

  calledLate(method: string): void {
    const { name: tool, callId } = this.exec
    this.core.report(
      { kind: 'late-call', message: `The body of ${tool} called ${method}() after it had settled; nothing changed.`, tool, callId },
      this.scope,
    )
  }
}

/** An invocation of a tool that exists. */
export type CallableInvocation = Invocation & { readonly definition: ToolDefinition; readonly compiled: CompiledTool }

function materialise(input: ToolExecutionInput): { readonly value: JsonValue; readonly refusal?: ToolFailure } {
  try {
    return { value: snapshotJson(input.arguments) }
  } catch (error) {
    return { value: null, refusal: failure('INVALID_ARGS', input.name, `They are not lossless JSON: ${thrownText(error)}.`) }
  }
}

/**
 * The one execution object of a call: policies, wrappers, body and observers all get this same object, each through the
 * narrower type it is meant to use.
 */
class Execution implements ToolRunContext {
  readonly callId: ToolCallId
  readonly rootCallId: ToolCallId
  readonly name: string
  readonly arguments: JsonValue
  readonly token: ToolExecutionToken
  declare readonly agent?: Agent
  declare readonly toolSet?: ResolvedToolSet
  declare readonly parent?: ToolExecutionToken
  declare readonly schema?: ToolSchema
  readonly #invocation: Invocation

  constructor(invocation: Invocation, input: ToolExecutionInput, args: JsonValue) {
    this.#invocation = invocation
    this.callId = input.callId
    this.rootCallId = input.rootCallId ?? input.callId
    this.name = input.name
    this.arguments = args
    this.token = Symbol(input.callId) as ToolExecutionToken
    if (input.agent !== undefined) this.agent = input.agent
    if (input.toolSet !== undefined) this.toolSet = input.toolSet
    if (input.parent !== undefined) this.parent = input.parent
    if (input.schema !== undefined) this.schema = input.schema
  }

  get signal(): AbortSignal {
    return this.#invocation.signals.read()
  }

  set signal(signal: AbortSignal) {
    if (!this.#invocation.dispatching) throw new TypeError('exec.signal can be replaced in tools/execute only.')
    if (typeof signal?.addEventListener !== 'function') throw new TypeError('exec.signal cannot be removed: it must stay an AbortSignal.')
    this.#invocation.signals.replace(signal)
  }

  deferContext(context: UserMessage): void {
    this.#invocation.attempt?.deferContext(context)
  }

  concludeTurn(): void {
    this.#invocation.attempt?.concludeTurn()
  }

  progress(progress: JsonValue): void {
    this.#invocation.attempt?.progress(progress)
  }
}
