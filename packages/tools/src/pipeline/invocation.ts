import { admitted } from '../admission/admit.ts'
import type { ToolDefinition, ToolExecutionInput, ToolFailure, ToolGuard } from '../contract/tool.ts'
import type { ToolScope } from '../registry/layer.ts'
import { guardsOf } from '../registry/registry.ts'
import { type ListenerTable, listenersAt } from '../scope/listeners.ts'
import { type CompiledTool, compileTool } from '../tool/compiled.ts'
import { type AttemptedCall, Attempts } from './attempt.ts'
import { CallSignal } from './call-signal.ts'
import type { PipelineCore } from './core.ts'
import { Execution, type ExecutionOwner } from './execution.ts'
import type { CallTurns, ExecutionOptions } from './execution-options.ts'
import { materialise } from './materialise.ts'

/**
 * One call, from arrival to outcome. Everything that belongs to the call lives here and dies with it. Definition, guards
 * and listeners are captured when it starts: what changes later is for later calls.
 */
export class Invocation implements AttemptedCall, ExecutionOwner {
  readonly core: PipelineCore
  readonly scope: ToolScope
  readonly listeners: ListenerTable
  readonly guards: readonly ToolGuard[]
  readonly definition: ToolDefinition | undefined
  readonly compiled: CompiledTool | undefined
  readonly projectContent: ToolDefinition['projectContent']
  readonly finalizeContent: ToolDefinition['finalizeContent']
  readonly turns: CallTurns | undefined
  readonly refusal: ToolFailure | undefined
  readonly signals: CallSignal
  readonly #options: ExecutionOptions
  #attempts: Attempts | undefined
  #hasSlot = false
  readonly exec: Execution
  dispatching = false

  constructor(core: PipelineCore, input: ToolExecutionInput, options: ExecutionOptions) {
    this.core = core
    this.scope = core.tree.at(input.agent)
    this.listeners = listenersAt(this.scope)
    this.guards = guardsOf(this.scope)
    // A disposed scope runs nothing, not even what is handed in: its guards are gone.
    const given = this.scope.disposed ? undefined : options.definition
    const definition = given ?? admitted(this.scope, input.name, input.agent, input.toolSet)
    this.definition = definition
    this.compiled = definition && compileTool(definition)
    this.projectContent = definition?.projectContent
    this.finalizeContent = definition?.finalizeContent
    this.turns = options.turns
    this.#options = options
    this.signals = new CallSignal(input.signal, core.signals)
    const args = materialise(input)
    this.refusal = options.refusal ?? args.refusal
    this.exec = new Execution(this, input, args.value, definition)
  }

  /** Whether there is a tool to run: narrows the type. */
  callable(): this is CallableInvocation {
    return this.definition !== undefined
  }

  get attempts(): Attempts {
    this.#attempts ??= new Attempts(this)
    return this.#attempts
  }

  /** Wait for what is to happen before an attempt at the body. @returns a failure when the body is not to begin. */
  beforeBody(): Promise<ToolFailure | undefined> | undefined {
    return this.#options.beforeBody?.(this.exec, this.attempts.count + 1)
  }

  /** The body is about to run; told once, whatever the number of attempts. */
  bodyStarts(): void {
    if (!this.attempts.started) this.#options.onBodyStart?.()
  }

  /** Take the slot that a body runs in; a tool that does not exist needs none. @returns a promise when there is one to wait for. */
  takeSlot(): Promise<void> | undefined {
    if (!this.callable()) return undefined
    this.#hasSlot = true
    return this.turns?.takeSlot()
  }

  /** The body and its wrappers have settled: the slot is free, and the signal that of the call again. */
  dispatched(): void {
    if (this.#hasSlot) this.turns?.freeSlot()
    this.#hasSlot = false
    if (this.dispatching) this.signals.restore()
    this.dispatching = false
  }

  /** The call is over. */
  release(): void {
    this.dispatched()
    this.signals.release()
  }

  get callerGone(): boolean {
    return this.signals.caller.aborted
  }
}

/** An invocation of a tool that exists. */
export type CallableInvocation = Invocation & { readonly definition: ToolDefinition; readonly compiled: CompiledTool }
