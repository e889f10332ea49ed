import type { ToolPromptSection, ToolsService } from '@dsh/tools'
import { systemClock } from '@dsh/tools/executor'
import type { Clock, ModelService } from '@dsh/tools/ports'
import { History } from '../history/history.ts'
import type { Session } from '../log/session.ts'
import type { AgentEvent } from './agent-event.ts'
import type { AgentLoop, AgentOptions } from './agent-loop.ts'
import type { ModelPatience } from './ask-model.ts'

/** What an agent works with, turn after turn. */
export interface AgentParts {
  readonly agent: AgentLoop
  readonly session: Session
  readonly tools: ToolsService
  readonly model: ModelService
  readonly clock: Clock
  readonly history: History
  readonly system: string | undefined
  readonly sections: readonly ToolPromptSection[]
  readonly maxSteps: number
  readonly maxOutputTokens: number | undefined
  readonly maxParallelToolCalls: number | undefined
  readonly patience: ModelPatience
  readonly emit: (event: AgentEvent) => void
}

const PATIENCE: ModelPatience = { maxRetries: 3, backoffMs: 1_000, maxWaitMs: 60_000, stallMs: 120_000 }

/** Check the options and fill in the defaults. @throws TypeError naming the option. */
export function toParts(options: AgentOptions, { agent, emit }: Pick<AgentParts, 'agent' | 'emit'>): AgentParts {
  const { session, runtime, model, clock = systemClock, maxSteps = 100, maxParallelToolCalls, maxOutputTokens } = options
  assertPositiveInteger('maxSteps', maxSteps)
  if (maxParallelToolCalls !== undefined) assertPositiveInteger('maxParallelToolCalls', maxParallelToolCalls)
  if (maxOutputTokens !== undefined) assertPositiveInteger('maxOutputTokens', maxOutputTokens)
  for (const [name, value] of Object.entries(options.patience ?? {})) {
    if (!(typeof value === 'number' && value >= 0))
      throw new TypeError(`patience.${name} must be a number from 0 on, and is ${String(value)}.`)
  }
  if (typeof (model as Partial<ModelService> | undefined)?.stream !== 'function') {
    throw new TypeError('model must be a ModelService: fromAiSdk() makes one of an AI SDK model, recordedModel() of a recording.')
  }
  return {
    agent,
    session,
    tools: runtime.tools,
    model,
    clock,
    history: new History(),
    system: options.system,
    sections: options.sections ?? [],
    maxSteps,
    maxOutputTokens,
    maxParallelToolCalls,
    patience: { ...PATIENCE, ...options.patience },
    emit,
  }
}

/** @throws TypeError unless the value is a positive integer. */
export function assertPositiveInteger(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`${name} must be a positive integer, and is ${String(value)}.`)
}
