import type { Agent, JsonValue } from '@dsh/tools'
import type { AgentsService } from '@dsh/tools/ports'
import type { JsonSchemaNode, ObjectJsonSchema } from '@dsh/tools/schema'
import { isEvent, type SessionEvent } from '../log/event.ts'
import { openSession } from '../log/open-session.ts'
import type { Session } from '../log/session.ts'
import type { AgentEvent } from './agent-event.ts'
import type { AgentLoop, AgentOptions, ChildAgentOptions } from './agent-loop.ts'

/** What is needed of the parent. */
export interface ChildAgentsHost {
  /** `disposed`: called when it has been disposed of. */
  readonly construct: (options: AgentOptions, disposed: () => void) => AgentLoop
  /** The turn that the children's work belongs to. */
  readonly turn: () => number
  readonly emit: (event: AgentEvent) => void
}

/** The children of one agent. */
export class ChildAgents implements AgentsService {
  readonly #parent: AgentLoop
  readonly #options: AgentOptions
  readonly #host: ChildAgentsHost
  readonly #living = new Set<AgentLoop>()
  #made: number

  constructor(parent: AgentLoop, options: AgentOptions, host: ChildAgentsHost) {
    this.#parent = parent
    this.#options = options
    this.#host = host
    this.#made = parent.session.events.filter((event) => isEvent(event, 'agent/start')).length
  }

  /** Make a child: what it is not told, it has from its parent. */
  async create({ tools, ...own }: ChildAgentOptions): Promise<AgentLoop> {
    const { session, path, scope } = this.#parent
    const turn = this.#host.turn()
    const { log, number } = await this.#openLog()
    const id = own.id ?? `${this.#parent.id}.${number}`
    let child: AgentLoop | undefined
    try {
      child = this.#host.construct({ ...this.#options, ...own, id, runtime: scope, session: log }, () =>
        this.#living.delete(child as AgentLoop),
      )
      if (tools) child.scope.tools.restrict(tools)
      await log.log('agent/parent', { session: session.id, turn, path: [...path, id] })
      await session.log('agent/start', { turn, agent: id, session: log.id })
    } catch (error) {
      await (child?.dispose() ?? log.close())
      throw error
    }
    this.#living.add(child)
    child.watch((event) => this.#heard(child as AgentLoop, turn, event))
    return child
  }

  async start({ parent = this.#parent, prompt, tools, output, signal }: Parameters<AgentsService['start']>[0]) {
    const from = isAgentLoop(parent) ? parent : this.#parent
    const child = await from.createChild(tools ? { tools } : {})
    try {
      const answer = output && registerAnswer(child, output)
      let result = await child.run(prompt, { signal })
      if (answer && result.outcome === 'answered') result = await child.run(ASK_FOR_ANSWER, { signal })
      signal.throwIfAborted()
      if (result.error) throw new Error(`The agent ${child.id} failed: ${result.error.message}`)
      if (answer === undefined) return { agent: child, content: result.content }
      if (answer.value === undefined) throw new Error(`The agent ${child.id} did not give an answer of the shape that was asked for.`)
      return { agent: child, content: result.content, value: answer.value }
    } finally {
      await child.dispose()
    }
  }

  async dispose(): Promise<void> {
    const ended = await Promise.allSettled([...this.#living].map((child) => child.dispose()))
    const broken = ended.find((each) => each.status === 'rejected')
    if (broken) throw broken.reason // once all of them have stopped
  }

  /** A log that nobody has written: a process that was killed may have left one that its parent's log does not name. */
  async #openLog(): Promise<{ readonly log: Session; readonly number: number }> {
    const { store, id } = this.#parent.session
    const { clock } = this.#options
    for (;;) {
      const number = ++this.#made
      const log = await openSession(store, `${id}.${number}`, { create: true, ...(clock && { clock }) })
      if (log.events.length === 0 && log.heldBy === undefined) return { log, number }
      await log.close()
    }
  }

  #heard(child: AgentLoop, turn: number, event: AgentEvent): void {
    this.#host.emit({ kind: 'child', turn, agent: child.id, event })
    if (event.kind === 'logged') this.#note(child, turn, event.event)
  }

  #note(child: AgentLoop, turn: number, event: SessionEvent): void {
    if (!isEvent(event, 'turn/end')) return
    const { outcome } = event.data
    const noted = this.#parent.session.log('agent/end', { turn, agent: child.id, session: child.session.id, outcome })
    noted.catch(() => undefined) // the parent learns at its own next event that its log cannot be written
  }
}

const ASK_FOR_ANSWER = 'Give your answer by calling the tool "answer".'

/** Give a child the tool with which it answers in the shape that was asked for. */
function registerAnswer(child: AgentLoop, shape: JsonSchemaNode): { value?: JsonValue } {
  const answer: { value?: JsonValue } = {}
  const isObject = shape.type === 'object'
  const wrapped: ObjectJsonSchema = { type: 'object', properties: { value: shape }, required: ['value'], additionalProperties: false }
  child.scope.tools.register({
    name: 'answer',
    description: 'Give the final answer. It ends your work.',
    parameters: isObject ? (shape as ObjectJsonSchema) : wrapped,
    output: { schema: {}, render: () => [{ type: 'text', text: 'The answer was given.' }] },
    effects: 'none',
    async execute(args, exec) {
      answer.value = isObject ? (args as JsonValue) : (args as { readonly value: JsonValue }).value
      exec.concludeTurn()
      return null
    },
  })
  return answer
}

function isAgentLoop(agent: Agent): agent is AgentLoop {
  return typeof (agent as Partial<AgentLoop>).createChild === 'function'
}
