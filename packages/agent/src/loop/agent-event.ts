import type { ModelEvent } from '@dsh/tools/ports'
import type { LoggedError, SessionEvent } from '../log/event.ts'

/** What those who watch an agent hear. Everything that lasts is in the log; the rest is for the moment. */
export type AgentEvent =
  /** An event was appended to the agent's session, with its card: turns and steps, messages, calls, approvals. */
  | { readonly kind: 'logged'; readonly event: SessionEvent }
  /** A piece of the answer that the model is giving now; the whole of it is logged when it ends. */
  | { readonly kind: 'piece'; readonly turn: number; readonly step: number; readonly event: ModelEvent }
  /** The model could not be asked, and is asked again after `waitMs`. */
  | {
      readonly kind: 'retry'
      readonly turn: number
      readonly step: number
      readonly attempt: number
      readonly waitMs: number
      readonly error: LoggedError
    }
  /** The turn was cancelled, and what runs is being waited for. */
  | { readonly kind: 'stopping'; readonly turn: number; readonly reason: string }
  /** Something that a child agent's watchers hear, under the turn of the parent. */
  | { readonly kind: 'child'; readonly turn: number; readonly agent: string; readonly event: AgentEvent }
