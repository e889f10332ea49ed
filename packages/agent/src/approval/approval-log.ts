import type { ToolExecution } from '@dsh/tools'
import { digestOf } from '@dsh/tools/executor'
import type { Session } from '../log/session.ts'
import type { ApprovalCard } from './approval-card.ts'

/** How a request was settled. */
export interface Settlement {
  readonly outcome: 'allowed-once' | 'rejected' | 'cancelled' | 'unavailable'
  readonly note?: string
  readonly expired?: boolean
  /** The whole session is allowed what the card offers. */
  readonly grant?: boolean
  /** Who decided. */
  readonly by: string
}

/** Whether a call began under an approval before a crash, and would run as what was approved then. */
export async function isCovered(session: Session, { definition, callSeq }: Readonly<ToolExecution>): Promise<boolean> {
  const before = session.openCalls.find((life) => life.call.seq === callSeq)
  if (before === undefined || definition === undefined) return false
  const isAllowed = before.decided.at(-1)?.data.outcome === 'allowed-once'
  return isAllowed && before.starts.at(-1)?.data.definition === (await digestOf(definition))
}

/** Log that somebody is asked. */
export async function logAsked(session: Session, card: ApprovalCard): Promise<void> {
  const { call, id, digest, definition, argumentsHash, reason, displayReason, path, expiresAt } = card
  if (call === undefined) return
  await session.log('approval/asked', {
    call,
    id,
    digest,
    definition,
    argumentsHash,
    path,
    ...(reason !== undefined && { reason }),
    ...(displayReason && { displayReason }),
    ...(expiresAt !== undefined && { expiresAt }),
  })
}

/** Log what was decided. Settles when that is durable: what a person said is not asked for twice. */
export async function logDecided(session: Session, { call, id, tool, grant: offer }: ApprovalCard, settled: Settlement): Promise<void> {
  const { outcome, note, expired, grant, by } = settled
  if (call === undefined) return
  if (grant && offer) await session.log('approval/granted', { call, tool, rule: offer.rule, by })
  const said = { ...(note !== undefined && { note }), ...(expired && { expired }) }
  await session.log('approval/decided', { call, id, outcome, by, ...said }, { durable: true })
}
