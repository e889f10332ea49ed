import type { ApprovalCard } from './approval-card.ts'

/** What an approver says: `unavailable` when it cannot tell, and somebody else may be asked. */
export interface ApproverAnswer {
  readonly outcome: 'allowed-once' | 'rejected' | 'cancelled' | 'unavailable'
  /** The model reads it with a refusal. */
  readonly note?: string
  /** Allow what the card offers for the whole session. */
  readonly grant?: true
}

/** What an approver knows beside the card. */
export interface ApproverContext {
  /** Fires when the request needs no answer any more: somebody else decided, the caller went, or it expired. */
  readonly signal: AbortSignal
  /** Its place among those that wait now, from 1 on. */
  readonly position: number
  readonly waiting: number
}

/** Somebody who is asked: a person at a terminal, or a function of the host's. */
export interface Approver {
  /** Who it is, for the log. */
  readonly name: string
  /** Decide on one request. It is asked about one at a time. @throws anything: then it has not decided. */
  ask(card: ApprovalCard, context: ApproverContext): Promise<ApproverAnswer>
}
