import type { ApprovalCard } from './approval-card.ts'
import type { Settlement } from './approval-log.ts'

/** How a request ended; `error` when that is because whoever was asked broke. */
export type Settled = Settlement & { readonly error?: unknown }

/** An open request. */
export class PendingApproval<D> {
  readonly card: ApprovalCard
  readonly settled: Promise<Settled>
  /** Who has been asked. */
  readonly seenBy = new Set<D>()
  /** Who will not decide any more. */
  readonly givenUpBy = new Set<D>()
  readonly #controller = new AbortController()
  readonly #after: (() => void)[] = []
  #resolve!: (settled: Settled) => void

  constructor(card: ApprovalCard) {
    this.card = card
    this.settled = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Fires when it needs no answer any more. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  onSettled(callback: () => void): void {
    this.#after.push(callback)
  }

  settle(settled: Settled): void {
    for (const callback of this.#after) callback()
    this.#controller.abort(new DOMException('The request has been settled.', 'AbortError'))
    this.#resolve(settled)
  }
}
