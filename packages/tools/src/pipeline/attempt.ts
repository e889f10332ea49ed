import type { UserMessage } from '../contract/content.ts'
import type { JsonValue } from '../contract/json.ts'
import type { ToolExecution } from '../contract/tool.ts'
import type { ToolScope } from '../registry/layer.ts'
import type { ListenerTable } from '../scope/listeners.ts'
import { emit } from '../scope/waterfall.ts'
import { acceptContext } from './content.ts'
import type { PipelineCore } from './core.ts'
import { ProgressChannel } from './progress.ts'
import type { SignalWatcher } from './signals.ts'

const NONE: readonly UserMessage[] = []

/** The call whose body is attempted. */
export interface AttemptedCall {
  readonly core: PipelineCore
  readonly scope: ToolScope
  readonly listeners: ListenerTable
  readonly exec: ToolExecution
}

/** One attempt at running the body, and what it leaves beside its value. Once the body has settled nothing is taken from it. */
export class Attempt implements SignalWatcher {
  #contexts: UserMessage[] | undefined
  concludesTurn = false
  readonly #call: AttemptedCall
  #channel: ProgressChannel | undefined
  #endStallWatch: (() => void) | undefined
  #open = true

  constructor(call: AttemptedCall) {
    this.#call = call
  }

  get contexts(): readonly UserMessage[] {
    return this.#contexts ?? NONE
  }

  deferContext(context: UserMessage): void {
    if (!this.#open) return this.#calledLate('deferContext')
    this.#contexts ??= []
    this.#contexts.push(acceptContext(context))
  }

  concludeTurn(): void {
    if (this.#open) this.concludesTurn = true
    else this.#calledLate('concludeTurn')
  }

  progress(progress: JsonValue): void {
    if (!this.#open) return // a last report that races with the end of the body is nothing to tell anybody about
    const { core, listeners, exec } = this.#call
    this.#channel ??= new ProgressChannel((report) => emit(listeners.of('tools/progress'), undefined, [exec, report], core.observerFailed))
    this.#channel.report(progress)
  }

  /** The signal of the body fired: when the body still runs a while later, `tools/stalled` says so. */
  fired(): void {
    if (!this.#open || this.#endStallWatch) return
    const { core, listeners, exec } = this.#call
    const abortedAtMs = core.clock.now()
    const waitedMs = core.limits.stallWarningMs
    this.#endStallWatch = core.clock.after(waitedMs, () => {
      void emit(listeners.of('tools/stalled'), undefined, [exec, Object.freeze({ abortedAtMs, waitedMs })], core.observerFailed)
    })
  }

  /** The body has settled. */
  close(): void {
    this.#open = false
    this.#channel?.close()
    this.#endStallWatch?.()
  }

  #calledLate(method: string): void {
    const { core, scope, exec } = this.#call
    const message = `The body of ${exec.name} called ${method}() after it had settled; nothing changed.`
    core.report({ kind: 'late-call', message, tool: exec.name, callId: exec.callId }, scope)
  }
}

/** The attempts at one body. Only the last one counts: contexts and conclusions of an abandoned one are dropped. */
export class Attempts {
  readonly #call: AttemptedCall
  current: Attempt | undefined
  /** How often the body began. */
  count = 0
  /** Contexts added around and after the attempt that counts, by wrappers and post-execute policies. */
  #added: readonly UserMessage[] = NONE
  #dropped: readonly UserMessage[] = NONE

  constructor(call: AttemptedCall) {
    this.#call = call
  }

  /** Whether the body ever began. */
  get started(): boolean {
    return this.count > 0
  }

  get concludesTurn(): boolean {
    return this.current?.concludesTurn === true
  }

  /** The body's contexts, then those that were added. */
  get contexts(): readonly UserMessage[] {
    const own = this.current?.contexts ?? NONE
    return this.#added.length === 0 ? own : [...own, ...this.#added]
  }

  begin(): Attempt {
    this.count++
    this.current = new Attempt(this.#call)
    return this.current
  }

  /** A wrapper goes on to another attempt, or a block drops what there is: nothing of it comes back, whoever returns it. */
  abandon(): void {
    this.#dropped = [...this.#dropped, ...this.contexts]
    this.#added = NONE
    this.current = undefined
  }

  /** Take contexts of a wrapper or policy, but for those that are known or were dropped. @throws TypeError */
  addContexts(contexts: unknown): void {
    if (contexts === undefined) return
    if (!Array.isArray(contexts)) throw new TypeError('additionalContexts must be an array')
    const known = new Set<unknown>([...this.contexts, ...this.#dropped])
    this.#added = [...this.#added, ...contexts.filter((context) => !known.has(context)).map(acceptContext)]
  }
}
