import { type CallLife, CallLives, isEvent, type SessionEvent } from '@dsh/agent'

/** The calls of an agent and of its children that have no result yet, as their logs tell. */
export class OpenCalls {
  readonly #sessions = new Map<string, CallLives>()
  readonly #open = new Set<CallLife>()

  /** Take the next event of any of their logs. @returns the call it belongs to. */
  take(event: SessionEvent): CallLife | undefined {
    const life = this.#livesOf(event.session).take(event)
    if (life === undefined) return undefined
    if (life.result) this.#open.delete(life)
    else if (isEvent(event, 'tool/call') || isEvent(event, 'tool/start')) this.#open.add(life)
    return life
  }

  /** The names of those whose bodies run. */
  get running(): readonly string[] {
    return [...this.#open].filter(({ starts }) => starts.length > 0).map(({ call }) => call.data.name)
  }

  /** How many have not begun: they wait for their turn, or for an approval. */
  get waiting(): number {
    return [...this.#open].filter(({ starts }) => starts.length === 0).length
  }

  #livesOf(session: string): CallLives {
    const lives = this.#sessions.get(session) ?? new CallLives()
    this.#sessions.set(session, lives)
    return lives
  }
}
