import type { UserMessage } from '../contract/content.ts'
import type { JsonValue } from '../contract/json.ts'
import type {
  Agent,
  ResolvedToolSet,
  ToolCallId,
  ToolDefinition,
  ToolExecutionInput,
  ToolExecutionToken,
  ToolRunContext,
  ToolSchema,
} from '../contract/tool.ts'
import type { Attempts } from './attempt.ts'
import type { CallSignal } from './call-signal.ts'

/** What an execution reads of its call. */
export interface ExecutionOwner {
  readonly signals: CallSignal
  readonly attempts: Attempts
  /** Wrappers are running: the signal may be replaced. */
  readonly dispatching: boolean
}

/**
 * The one execution object of a call: policies, wrappers, body and observers all get this same object, each through the
 * narrower type it is meant to use.
 */
export class Execution implements ToolRunContext {
  readonly callId: ToolCallId
  readonly rootCallId: ToolCallId
  readonly name: string
  readonly arguments: JsonValue
  readonly token: ToolExecutionToken
  declare readonly agent?: Agent
  declare readonly toolSet?: ResolvedToolSet
  declare readonly parent?: ToolExecutionToken
  declare readonly schema?: ToolSchema
  declare readonly definition?: ToolDefinition
  declare readonly callSeq?: number
  declare readonly idempotencyKey?: string
  readonly #owner: ExecutionOwner

  constructor(owner: ExecutionOwner, input: ToolExecutionInput, args: JsonValue, definition: ToolDefinition | undefined) {
    this.#owner = owner
    this.callId = input.callId
    this.rootCallId = input.rootCallId ?? input.callId
    this.name = input.name
    this.arguments = args
    this.token = Symbol(input.callId) as ToolExecutionToken
    if (input.agent !== undefined) this.agent = input.agent
    if (input.toolSet !== undefined) this.toolSet = input.toolSet
    if (input.parent !== undefined) this.parent = input.parent
    if (input.schema !== undefined) this.schema = input.schema
    if (input.callSeq !== undefined) this.callSeq = input.callSeq
    if (input.idempotencyKey !== undefined) this.idempotencyKey = input.idempotencyKey
    if (definition !== undefined) this.definition = definition
    Object.freeze(this) // identity and arguments are what was approved; the signal is an accessor
  }

  get signal(): AbortSignal {
    return this.#owner.signals.read()
  }

  set signal(signal: AbortSignal) {
    if (!this.#owner.dispatching) throw new TypeError('exec.signal can be replaced in tools/execute only.')
    if (typeof signal?.addEventListener !== 'function' || typeof signal.removeEventListener !== 'function')
      throw new TypeError('exec.signal cannot be removed: it must stay an AbortSignal.')
    this.#owner.signals.replace(signal)
  }

  // Getters, so that a body may take them apart: `execute(args, { signal, progress })`.

  get deferContext(): (context: UserMessage) => void {
    return (context) => this.#owner.attempts.current?.deferContext(context)
  }

  get concludeTurn(): () => void {
    return () => this.#owner.attempts.current?.concludeTurn()
  }

  get progress(): (progress: JsonValue) => void {
    return (progress) => this.#owner.attempts.current?.progress(progress)
  }
}
