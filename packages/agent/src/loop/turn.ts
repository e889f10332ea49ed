import type { ContentBlock, ModelSelection, ToolCallBlock } from '@dsh/tools'
import { toToolCallId } from '@dsh/tools'
import type { ModelFinishReason, ModelUsage, RequestedCall } from '@dsh/tools/ports'
import type { TurnOutcome } from '../log/event.ts'
import type { AgentParts } from './agent-parts.ts'
import { addUsage } from './model-usage.ts'
import type { Ending, TurnResult } from './turn-result.ts'

/** One turn under way. */
export class Turn {
  readonly parts: AgentParts
  readonly number: number
  readonly maxSteps: number
  readonly signal: AbortSignal
  /** The number of the last step. */
  step = 0
  usage: ModelUsage | undefined
  content: readonly ContentBlock[] = []
  finish: ModelFinishReason | undefined
  /** Messages that were said to the agent since the model was asked last. */
  unread = 0
  /** Its outcome stands. One that is cancelled is closed only when its work has ended. */
  isClosed = false
  /** Answers in a row that broke off, or were cut. */
  breaks = 0

  constructor(parts: AgentParts, { number, maxSteps, signal }: Pick<Turn, 'number' | 'maxSteps' | 'signal'>) {
    this.parts = parts
    this.number = number
    this.maxSteps = maxSteps
    this.signal = signal
  }

  get selection(): ModelSelection {
    return this.parts.model.selection ?? { provider: 'unknown', model: 'unknown' }
  }

  /** Whether it takes up nothing more, closed or cancelled: what is said to the agent now belongs to the turn after this one. */
  get isOver(): boolean {
    return this.isClosed || this.signal.aborted
  }

  /** Where the calls of its last step are logged. */
  get log(): { readonly turn: number; readonly step: number } {
    return { turn: this.number, step: this.step }
  }

  spent(usage: ModelUsage | undefined): void {
    this.usage = addUsage(this.usage, usage)
  }

  /** End it, unless somebody has said something meanwhile: then the model is asked again. */
  close(outcome: TurnOutcome): Ending | undefined {
    if (this.unread > 0) return undefined
    this.isClosed = true
    return { outcome }
  }

  cancelled(): Ending {
    const { reason } = this.signal as { reason: unknown }
    const message = reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : 'The turn was cancelled.'
    return { outcome: 'cancelled', error: { code: 'CANCELLED', message } }
  }

  result({ outcome, error }: Ending): TurnResult {
    const text = this.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    return {
      turn: this.number,
      outcome,
      content: this.content,
      text,
      steps: this.step,
      ...(this.usage && { usage: this.usage }),
      ...(this.finish && { finish: this.finish }),
      ...(error && { error }),
    }
  }
}

/** A call of an answer, as an executor takes it. */
export function toCallBlock({ callId, name, arguments: text }: RequestedCall): ToolCallBlock {
  return { type: 'tool-call', callId: toToolCallId(callId), name, arguments: text }
}
