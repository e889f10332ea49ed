import type { ToolExecutionMode } from '../contract/tool.ts'
import type { CallTurns } from '../pipeline/execution-options.ts'
import { createGate } from './gate.ts'
import { Milestone } from './milestone.ts'
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
 * another; only bodies overlap, at most `maxParallel` of them. Nothing starts before the caller has gone on: it may abort at once, and
 * batches within bodies do not pile up on the stack.
 *
 * Settles when everything that was started has settled. @throws what the first broken call rejected with; later calls that
 * had not begun are not started.
 */
export async function runInOrder(calls: readonly SchedulableCall[], maxParallel: number): Promise<void> {
  const gate = createGate()
  const slots = new Slots(maxParallel)
  let broken: { readonly error: unknown } | undefined
  let turn: Turn | undefined
  await undefined
  const fail = (error: unknown) => {
    broken ??= { error }
  }
  for (const call of calls) {
    const through = turn?.through()
    if (through) await through
    let mode: ToolExecutionMode | undefined
    try {
      const begun = call.begin?.()
      if (begun) await begun
      mode = call.classify()
    } catch (error) {
      fail(error)
    }
    if (broken || mode === undefined) break
    const alone = mode.kind === 'exclusive' // the keys of a keyed call are taken where its policy stages have ended
    const entering = alone ? gate.own() : gate.share()
    const leave = entering instanceof Promise ? await entering : entering
    if (broken) {
      leave()
      break
    }
    turn = new Turn({ earlier: turn, alone, slots, leave })
    turn.run(call, fail)
  }
  await turn?.committed.wait()
  if (broken) throw broken.error
}

/** The place of one call among its siblings. */
class Turn implements CallTurns {
  readonly committed: Milestone = new Milestone()
  readonly #alone: boolean
  readonly #slots: Slots
  readonly #leave: () => void
  #earlier: Turn | undefined
  #policyOver = false
  #policy: Milestone | undefined

  /** @param place - `alone` when it runs by itself; `leave` leaves the gate. */
  constructor(place: { earlier: Turn | undefined; alone: boolean; slots: Slots; leave: () => void }) {
    this.#earlier = place.earlier
    this.#alone = place.alone
    this.#slots = place.slots
    this.#leave = place.leave
  }

  /** Run the call, and leave the gate when it and all before it have been committed. */
  run(call: SchedulableCall, fail: (error: unknown) => void): void {
    let running: Promise<void>
    try {
      running = call.run(this)
    } catch (error) {
      running = Promise.reject(error)
    }
    running.then(
      () => this.#end(),
      (error) => {
        fail(error)
        return this.#end()
      },
    )
  }

  #end(): Promise<void> | undefined {
    const earlier = this.commitTurn()
    if (earlier) return earlier.then(() => this.#end()) // a call that broke may not have waited for it
    this.#earlier = undefined // or the last call of a long batch would hold all others
    this.#leave()
    this.committed.reach()
    this.policyEnded() // one that broke may never have said so
    return undefined
  }

  policyEnded(): void {
    this.#policyOver = true
    this.#policy?.reach()
  }

  /** Wait until the next call may begin: the end of the policy stages or, for a call that runs alone, its commit. */
  through(): Promise<void> | undefined {
    if (this.#alone) return this.committed.wait()
    if (this.#policyOver) return undefined // so with most calls: nothing is made for it before
    this.#policy = new Milestone()
    return this.#policy.wait()
  }

  takeSlot(): Promise<void> | undefined {
    return this.#slots.take()
  }

  freeSlot(): void {
    this.#slots.give()
  }

  commitTurn(): Promise<void> | undefined {
    return this.#earlier?.committed.wait()
  }
}
