import type { ContentBlock, Scope, UserMessage } from '@dsh/tools'
import type { Session } from '../log/session.ts'
import { Watchers } from '../log/watchers.ts'
import type { AgentEvent } from './agent-event.ts'
import type { AgentInput, AgentLoop, AgentOptions, ChildAgentOptions, RunOptions } from './agent-loop.ts'
import { type AgentParts, assertPositiveInteger, toParts } from './agent-parts.ts'
import { beginTurn, type TurnUnderWay, type TurnWork } from './begin-turn.ts'
import { ChildAgents } from './child-agents.ts'
import { abandonTurn, resumeTurn, unfinishedTurn } from './resume-turn.ts'
import { runTurn } from './run-turn.ts'
import type { TurnResult } from './turn-result.ts'

/** Make an agent. @throws TypeError for an option that is none. */
export function createAgent(options: AgentOptions): AgentLoop {
  return new LoopingAgent(options)
}

/** Who writes turns to a session: their numbers are one agent's. */
const keepers = new WeakMap<Session, AgentLoop>()

class LoopingAgent implements AgentLoop {
  readonly id: string
  readonly session: Session
  readonly scope: Scope
  readonly parent?: AgentLoop
  readonly path: readonly string[]
  readonly #parts: AgentParts
  readonly #children: ChildAgents
  readonly #watchers = new Watchers<AgentEvent>()
  /** Give up what it holds. */
  readonly #leave: () => void
  #work: TurnUnderWay | undefined
  #disposal: Promise<void> | undefined

  /** @param forgotten - called when it has been disposed of. */
  constructor(options: AgentOptions, parent?: AgentLoop, forgotten: () => void = () => undefined) {
    const { session } = options
    if (keepers.has(session))
      throw new TypeError(`An agent keeps the session ${session.id} already: dispose of it first, or open another session.`)
    this.id = options.id ?? session.id
    this.session = session
    if (parent) this.parent = parent
    this.path = [...(parent?.path ?? []), this.id]
    this.#parts = toParts(options, { agent: this, emit: (event) => this.#watchers.tell(event) })
    this.scope = options.runtime.child(this)
    this.#children = new ChildAgents(this, options, {
      construct: (childOptions, disposed) => new LoopingAgent(childOptions, this, disposed),
      turn: () => this.#work?.turn.number ?? session.lastTurn,
      emit: (event) => this.#watchers.tell(event),
    })
    this.scope.provide('agents', this.#children)
    keepers.set(session, this)
    const unwatch = session.watch((event) => this.#watchers.tell({ kind: 'logged', event }))
    this.#leave = () => {
      this.scope.dispose()
      unwatch()
      keepers.delete(session)
      forgotten()
    }
  }

  get state(): AgentLoop['state'] {
    if (this.#work === undefined) return 'idle'
    return this.#work.turn.signal.aborted ? 'stopping' : 'working'
  }

  async run(input: AgentInput, options: RunOptions = {}): Promise<TurnResult> {
    const message = toMessage(input)
    this.#assertReady()
    return this.#begin(options, this.session.lastTurn + 1, async (turn) => {
      await abandonTurn(this.session)
      const started = this.session.log('turn/start', { turn: turn.number })
      await Promise.all([started, this.session.log('user/message', message, { durable: true })])
      return runTurn(turn)
    })
  }

  async send(input: AgentInput): Promise<TurnResult> {
    const message = toMessage(input)
    while (this.#work?.turn.isOver) await this.whenIdle()
    const work = this.#work
    if (work === undefined) return this.run(message)
    work.turn.unread++
    await this.session.log('user/message', message, { durable: true })
    return work.done
  }

  async inject(context: UserMessage): Promise<void> {
    await this.session.log('user/message', toMessage(context))
  }

  async resume(options: RunOptions = {}): Promise<TurnResult | undefined> {
    this.#assertReady()
    const left = unfinishedTurn(this.session.events)
    if (left === undefined) return undefined
    return this.#begin(options, left.turn, (turn) => {
      turn.step = left.step
      turn.usage = left.usage
      turn.content = left.answer?.content ?? []
      return resumeTurn(turn, left)
    })
  }

  async cancel(reason = 'The turn was cancelled.'): Promise<void> {
    this.#work?.cancel(new DOMException(reason, 'AbortError'))
    await this.whenIdle()
  }

  async whenIdle(): Promise<void> {
    await this.#work?.done.catch(() => undefined) // told to whoever began it
  }

  watch(listener: (event: AgentEvent) => void): () => void {
    return this.#watchers.add(listener)
  }

  createChild(options: ChildAgentOptions = {}): Promise<AgentLoop> {
    return this.#children.create(options)
  }

  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose()
    return this.#disposal
  }

  async #dispose(): Promise<void> {
    await this.cancel('The agent was disposed of.')
    try {
      await this.#children.dispose()
      await this.scope.get('jobs')?.stop(this)
    } finally {
      this.#leave()
      if (this.parent) await this.session.close() // made with the child, for it alone
    }
  }

  #begin(options: RunOptions, number: number, work: TurnWork): Promise<TurnResult> {
    const { maxSteps = this.#parts.maxSteps, signal } = options
    assertPositiveInteger('maxSteps', maxSteps)
    const ended = () => {
      this.#work = undefined
    }
    this.#work = beginTurn(this.#parts, { number, maxSteps, signal, work, ended })
    return this.#work.done
  }

  #assertReady(): void {
    if (this.#disposal) throw new TypeError(`The agent ${this.id} has been disposed of.`)
    if (this.#work) throw new TypeError(`The agent ${this.id} is working: send() gives it input meanwhile, whenIdle() waits for the end.`)
    this.session.assertWritable()
  }
}

function toMessage(input: AgentInput): UserMessage {
  const message = typeof input === 'string' ? textMessage(input) : Array.isArray(input) ? { ...textMessage(''), content: input } : input
  const { content } = (message ?? {}) as Partial<UserMessage>
  if (!Array.isArray(content) || !content.every(isBlock))
    throw new TypeError('The input must be a text, a list of content blocks, or a message that holds one.')
  const isEmpty = content.every((block) => block.type === 'text' && block.text.trim() === '')
  if (isEmpty) throw new TypeError('The input says nothing: give text, or content blocks.')
  return message as UserMessage
}

function isBlock(block: unknown): block is ContentBlock {
  const { type, text } = (block ?? {}) as { readonly type?: unknown; readonly text?: unknown }
  return typeof type === 'string' && (type !== 'text' || typeof text === 'string')
}

function textMessage(text: string): UserMessage {
  return { source: { kind: 'person', name: 'user' }, content: [{ type: 'text', text }] }
}
