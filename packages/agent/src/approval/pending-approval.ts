import type { Clock } from '@dsh/tools/ports'
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
  readonly #after: (() => void)[] = []
  #resolve!: (settled: Settled) => void

  constructor(card: ApprovalCard) {
    this.card = card
    this.settled = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  onSettled(callback: () => void): void {
    this.#after.push(callback)
  }

  /** Whether its time is up: a timer may be late, on a machine that slept. */
  isOver(now: number): boolean {
    return now >= (this.card.expiresAt ?? Number.POSITIVE_INFINITY)
  }

  /** Call back when its time is up, unless it is settled before. */
  onOver(clock: Clock, callback: () => void): void {
    const { expiresAt } = this.card
    if (expiresAt === undefined) return
    let cancel = () => {}
    const wait = () => {
      const look = () => (this.isOver(clock.now()) ? callback() : wait())
      cancel = clock.after(Math.max(expiresAt - clock.now(), 0), look)
    }
    wait()
    this.onSettled(() => cancel())
  }

  settle(settled: Settled): void {
    for (const callback of this.#after) callback()
    this.#resolve(settled)
  }
}
