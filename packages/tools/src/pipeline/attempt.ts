import type { UserMessage } from '../contract/content.ts'
import type { ToolProgress } from '../contract/events.ts'
import type { JsonValue } from '../contract/json.ts'
import { acceptContext } from './content.ts'
import { ProgressChannel } from './progress.ts'

/** Who an attempt reports to. */
export interface AttemptOwner {
  deliverProgress(report: ToolProgress): Promise<void> | undefined
  /** The body called a method after it had settled. */
  calledLate(method: string): void
}

/** One attempt at running the body, and what it leaves beside its value. Once the body has settled nothing is taken from it. */
export class Attempt {
  readonly contexts: UserMessage[] = []
  concludesTurn = false
  readonly #owner: AttemptOwner
  #channel: ProgressChannel | undefined
  #open = true

  constructor(owner: AttemptOwner) {
    this.#owner = owner
  }

  deferContext(context: UserMessage): void {
    if (this.#open) this.contexts.push(acceptContext(context))
    else this.#owner.calledLate('deferContext')
  }

  concludeTurn(): void {
    if (this.#open) this.concludesTurn = true
    else this.#owner.calledLate('concludeTurn')
  }

  progress(progress: JsonValue): void {
    if (!this.#open) return // a last report that races with the end of the body is nothing to tell anybody about
    this.#channel ??= new ProgressChannel((report) => this.#owner.deliverProgress(report))
    this.#channel.report(progress)
  }

  close(): void {
    this.#open = false
    this.#channel?.close()
  }
}
