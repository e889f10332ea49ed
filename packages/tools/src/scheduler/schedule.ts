import type { ToolExecutionMode } from '../contract/tool.ts'
import type { CallTurns } from '../pipeline/execution-options.ts'
import { createGate } from './gate.ts'
import { Slots } from './slots.ts'

/** A call as the scheduler sees it. */
export interface SchedulableCall {
  /** Done before it is classified, when everything before it is through with policy: recording it, say. */
  begin?(): Promise<void> | undefined
  /** Asked just before the call starts. */
  classify(): ToolExecutionMode
  /** Run to the end, committed. Rejects only when the machinery fails. */
  run(turns: CallTurns): Promise<void>
}

/**
 * Run the calls of one batch. They enter the gate in order; policy stages and commits happen in order, one call after
 * another; only bodies overlap, at most `maxParallel` of them.
 *
 * Settles when everything that was started has settled. @throws what the first broken call rejected with; later calls that
 * had not begun are not started.
 */
export async function runInOrder(calls: readonly SchedulableCall[], maxParallel: number): Promise<void> {
  const gate = createGate()
  const slots = new Slots(maxParallel)
  let broken: { readonly error: unknown } | undefined
  let committed: Promise<void> = Promise.resolve()
  const fail = (error: unknown) => {
    broken ??= { error }
  }
  for (const call of calls) {
    let mode: ToolExecutionMode | undefined
    try {
      const begun = call.begin?.()
      if (begun) await begun
      mode = call.classify()
    } catch (error) {
      fail(error)
    }
    if (broken || mode === undefined) break
    const alone = mode.kind !== 'parallel'
    const leave = await (alone ? gate.own() : gate.share())
    if (broken) {
      leave()
      break
    }
    const turns = new BatchTurns(committed, slots)
    const done = call.run(turns).catch(fail)
    const before = committed
    committed = done.then(() => before).finally(() => leave())
    void done.then(turns.policyEnded)
    await (alone ? committed : turns.policy)
  }
  await committed
  if (broken) throw broken.error
}

class BatchTurns implements CallTurns {
  readonly policy: Promise<void>
  readonly #earlier: Promise<void>
  readonly #slots: Slots
  #endPolicy!: () => void

  constructor(earlier: Promise<void>, slots: Slots) {
    this.#earlier = earlier
    this.#slots = slots
    this.policy = new Promise((resolve) => {
      this.#endPolicy = resolve
    })
  }

  readonly policyEnded = (): void => this.#endPolicy()

  takeSlot(): Promise<void> | undefined {
    return this.#slots.take()
  }

  freeSlot(): void {
    this.#slots.give()
  }

  commitTurn(): Promise<void> {
    return this.#earlier
  }
}
