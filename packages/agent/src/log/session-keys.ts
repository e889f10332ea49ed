import { isEvent, type SessionEvent, type SessionEventOf } from './event.ts'

/** The idempotency keys of a session's calls. Each time it is opened, its first call is preceded by a `session/start` with a new random key. */
export class SessionKeys {
  readonly #id: string
  readonly #starts: SessionEventOf<'session/start'>[]
  #isStarted = false

  /** @param events - what lies in the log when it is opened. */
  constructor(id: string, events: readonly SessionEvent[]) {
    this.#id = id
    this.#starts = events.filter((event) => isEvent(event, 'session/start'))
  }

  /** The data of the event that comes before a call now; undefined when it is there already. */
  start(): SessionEventOf<'session/start'>['data'] | undefined {
    if (this.#isStarted) return undefined
    this.#isStarted = true
    return { key: crypto.randomUUID() }
  }

  /** Take note of an event that was appended. */
  heard(event: SessionEvent): void {
    if (isEvent(event, 'session/start')) this.#starts.push(event)
  }

  /** From the `session/start` before the call or, in a log that was made elsewhere and has none, from the session's id. */
  of(seq: number): string {
    const start = this.#starts.findLast((each) => each.seq < seq)
    return `${start?.data.key ?? this.#id}:${seq}`
  }
}
