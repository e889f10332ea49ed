import type { ModelMessage } from '@dsh/tools/ports'

/** Gives each call of an answer an id of its own, whatever the provider sends: none, one twice, or one that the conversation has used. */
export class CallIds {
  readonly #used: Set<string>
  /** Of calls that have begun and are not whole yet, by what the provider calls them. */
  readonly #begun = new Map<string, string>()

  constructor(messages: readonly ModelMessage[]) {
    this.#used = new Set(messages.flatMap((message) => (message.role === 'tool' ? message.results.map(({ callId }) => callId) : [])))
  }

  /** A call begins. */
  begin(raw: string): string {
    const id = this.#unique(raw)
    this.#begun.set(raw, id)
    return id
  }

  /** A call goes on. */
  of(raw: string): string {
    return this.#begun.get(raw) ?? this.begin(raw)
  }

  /** A call is whole. */
  end(raw: string): string {
    const id = this.of(raw)
    this.#begun.delete(raw)
    return id
  }

  #unique(raw: string): string {
    const id = raw === '' || this.#used.has(raw) ? `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}` : raw
    this.#used.add(id)
    return id
  }
}
