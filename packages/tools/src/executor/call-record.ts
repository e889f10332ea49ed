import type { JsonValue } from '../contract/json.ts'
import type { ToolDefinition, ToolExecution, ToolExecutionInput, ToolExecutionResult, ToolFailure } from '../contract/tool.ts'
import { failure } from '../outcome/failures.ts'
import { thrownText } from '../outcome/thrown.ts'
import { cardOf } from './card.ts'
import type { BatchLog } from './session-log.ts'

/** A call as it is about to be recorded. */
export interface RecordedCall {
  readonly input: ToolExecutionInput
  /** The arguments as the model made them. */
  readonly text: unknown
  readonly definition: ToolDefinition | undefined
  /** Its arguments could not be parsed: there is no card. */
  readonly refused: boolean
}

/** What the log makes of a call: its place there, and the key that every attempt at it shares. */
type Identity = Pick<ToolExecutionInput, 'callSeq' | 'idempotencyKey'>

/** The life of one call in the log of its batch. */
export class CallRecord {
  readonly #log: BatchLog
  readonly #index: number
  #seq = 0
  #attemptsBefore = 0
  #refused = false
  #definition: ToolDefinition | undefined
  #broken: { readonly error: unknown } | undefined

  /** @param index - position of the call in its batch. */
  constructor(log: BatchLog, index: number) {
    this.#log = log
    this.#index = index
  }

  /** Record the call, unless it is there from before a crash. @throws what the log broke with. */
  async call({ input, text, definition, refused }: RecordedCall): Promise<Identity> {
    const before = this.#log.resumed(this.#index)
    this.#definition = definition
    this.#refused = refused
    this.#attemptsBefore = before?.attempts ?? 0
    this.#seq = before?.seq ?? (await this.#log.call(this.#eventOf(input, text)))
    const key = this.#log.keyOf(this.#seq)
    return key === undefined ? { callSeq: this.#seq } : { callSeq: this.#seq, idempotencyKey: key }
  }

  #eventOf({ callId, name, arguments: args }: ToolExecutionInput, text: unknown) {
    const view = this.#refused ? undefined : cardOf(() => this.#definition?.presentCall?.(args))
    return { callId, name, arguments: typeof text === 'string' ? text : null, ...(view !== undefined && { view }) }
  }

  /** Record that its body is about to begin. @returns why it must not, when that cannot be recorded. */
  async start({ name, definition }: Readonly<ToolExecution>, attempt: number): Promise<ToolFailure | undefined> {
    if (definition === undefined) return undefined
    this.#definition = definition
    try {
      await this.#log.start(this.#seq, this.#attemptsBefore + attempt, definition)
      return undefined
    } catch (error) {
      this.#broken ??= { error }
      return failure('TOOL_NOT_STARTED', name, 'The session log cannot be written.', thrownText(error))
    }
  }

  /** Record its result, and go on. @param kept - told when it survives a crash. @throws what the log broke with before the body. */
  result({ callId, arguments: args }: ToolExecutionInput, result: ToolExecutionResult, kept: () => void): void {
    if (this.#broken) throw this.#broken.error
    const { isError, content, error, meta, additionalContexts, concludesTurn } = result
    const durable = { isError, content, ...(error && { error }), ...(meta !== undefined && { meta }) }
    const view = this.#refused ? undefined : cardOf(() => this.#definition?.presentResult?.(args, durable))
    const more = {
      ...(additionalContexts && { contexts: additionalContexts }),
      ...(concludesTurn && { concludesTurn }),
      ...(view !== undefined && { view: view as JsonValue }),
    }
    this.#log.result({ call: this.#seq, callId, ...durable, ...more }, kept)
  }
}
