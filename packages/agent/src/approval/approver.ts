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
  /** Fires when no answer is needed any more: somebody else decided, the caller went, the request expired, or the approver was detached. */
  readonly signal: AbortSignal
  /** Its place among those that wait now, from 1 on. */
  readonly position: number
  readonly waiting: number
}

/** Somebody who is asked: a person at a terminal, or a function of the host's. */
export interface Approver {
  /** Who it is, for the log. */
  readonly name: string
  /**
   * Decide on one request. The next one comes when this has settled: settle when the signal fires, too, with anything.
   * @throws anything: then it has not decided.
   */
  ask(card: ApprovalCard, context: ApproverContext): Promise<ApproverAnswer>
}

const OUTCOMES: readonly unknown[] = ['allowed-once', 'rejected', 'cancelled', 'unavailable'] satisfies ApproverAnswer['outcome'][]

/** What came from an approver, read once. @throws TypeError when it is no answer. */
export function toAnswer(value: unknown): ApproverAnswer {
  const { outcome, note, grant } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (!OUTCOMES.includes(outcome))
    throw new TypeError('The approver gave no answer: its outcome must be allowed-once, rejected, cancelled or unavailable.')
  return {
    outcome: outcome as ApproverAnswer['outcome'],
    ...(typeof note === 'string' && { note }),
    ...(grant === true && { grant }),
  }
}
