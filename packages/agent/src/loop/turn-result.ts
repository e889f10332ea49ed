import type { ContentBlock } from '@dsh/tools'
import type { ModelFinishReason, ModelUsage } from '@dsh/tools/ports'
import type { LoggedError, TurnOutcome } from '../log/event.ts'

/** How a turn ended. */
export interface TurnResult {
  readonly turn: number
  readonly outcome: TurnOutcome
  /** What the model said last. */
  readonly content: readonly ContentBlock[]
  /** Its text alone. */
  readonly text: string
  readonly steps: number
  readonly usage?: ModelUsage
  /** Why the last answer ended: `length` when it was cut. */
  readonly finish?: ModelFinishReason
  /** Why the turn failed, or was cancelled. */
  readonly error?: LoggedError
}

/** Why a turn ends. */
export interface Ending {
  readonly outcome: TurnOutcome
  readonly error?: LoggedError
}
