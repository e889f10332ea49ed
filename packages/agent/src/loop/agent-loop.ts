import type { Agent, ContentBlock, Scope, ToolPromptSection, ToolRestriction, UserMessage } from '@dsh/tools'
import type { Clock, ModelService } from '@dsh/tools/ports'
import type { Session } from '../log/session.ts'
import type { AgentEvent } from './agent-event.ts'
import type { ModelPatience } from './ask-model.ts'
import type { TurnResult } from './turn-result.ts'

/** What an agent is made of. */
export interface AgentOptions {
  /** The scope it lives in: the agent gets one of its own below it, and inherits what is registered there. */
  readonly runtime: Scope
  readonly model: ModelService
  /** Its log, open for writing. The agent does not close it. */
  readonly session: Session
  /** Default: the id of its session. */
  readonly id?: string
  /** Instructions, the first words of the system prompt. */
  readonly system?: string
  /** More of the system prompt, by `order`, among the sections of the executor. */
  readonly sections?: readonly ToolPromptSection[]
  /** How many requests to the model a turn may take. Default 100. */
  readonly maxSteps?: number
  readonly maxOutputTokens?: number
  /** Bodies of one step that may run at once. Default: the runtime's. */
  readonly maxParallelToolCalls?: number
  /** How a model that fails, or says nothing, is dealt with. */
  readonly patience?: Partial<ModelPatience>
  readonly clock?: Clock
}

/** What is said to an agent: text, blocks, or a message that names who says it. */
export type AgentInput = string | readonly ContentBlock[] | UserMessage

/** Options of one turn. */
export interface RunOptions {
  /** Cancels the turn. */
  readonly signal?: AbortSignal
  /** Default: that of the agent. */
  readonly maxSteps?: number
}

/** How a child agent is made. */
export interface ChildAgentOptions extends Partial<Omit<AgentOptions, 'runtime' | 'session' | 'clock'>> {
  /** Narrows what it inherits; what is registered in its own scope stays. */
  readonly tools?: ToolRestriction
}

/** An agent: a model, tools, and a log, that works in turns. It is the key of its own scope. */
export interface AgentLoop extends Agent {
  readonly id: string
  readonly session: Session
  /** Its own scope: what is registered here is for this agent and its children. */
  readonly scope: Scope
  readonly parent?: AgentLoop
  /** Ids of the agents from the first one down to this one. */
  readonly path: readonly string[]
  /** Whether it works on a turn, or waits for one that was cancelled to stop. */
  readonly state: 'idle' | 'working' | 'stopping'
  /**
   * Work on an input until the model has answered. Settles when the turn has ended, nothing of it runs, and its log is durable; how it ended,
   * a failed model included, is in the result.
   * @throws TypeError while it works, and when it has been disposed of; SessionError when its log cannot be written.
   */
  run(input: AgentInput, options?: RunOptions): Promise<TurnResult>
  /** Say something: it enters at the next step of the turn under way or, when there is none, begins one. Settles with the turn that it entered; a body
   * of that turn must not await it. @throws as {@link run}. */
  send(input: AgentInput): Promise<TurnResult>
  /** Add context to what the model reads next. It begins no turn, and makes none go on. Settles when it is in the log. */
  inject(context: UserMessage): Promise<void>
  /**
   * Take up the turn that a killed process left: calls that may run again are run again, the others are not, and the model goes on.
   * @returns how it ended; undefined when there is none. @throws as {@link run}.
   */
  resume(options?: RunOptions): Promise<TurnResult | undefined>
  /** Cancel the turn under way. Settles when nothing of it runs any more: a body that awaits this waits for itself. */
  cancel(reason?: string): Promise<void>
  /** Settles when no turn is under way. */
  whenIdle(): Promise<void>
  /** Hear what happens. A listener that throws is warned about and hurts nobody. @returns what stops it. */
  watch(listener: (event: AgentEvent) => void): () => void
  /** Make a child agent: with a scope below this one, a log of its own in the same store, and its events under this agent's turn. */
  createChild(options?: ChildAgentOptions): Promise<AgentLoop>
  /** Cancel what runs, end what it runs in the background, dispose of its scope and those below, and stop listening to its session. Settles when it is idle. */
  dispose(): Promise<void>
}
