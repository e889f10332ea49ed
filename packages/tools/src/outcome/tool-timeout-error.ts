import { brand } from '../json/brand.ts'

/** A tool kept a deadline of its own: its work has stopped, and the outcome is `TOOL_TIMEOUT`, whether the timeout policy is mounted or not. */
export class ToolTimeoutError extends Error {
  readonly code = 'TOOL_TIMEOUT'

  /** @param message - the deadline, what was done until then, and what to do next: the model reads it. */
  constructor(message: string) {
    super(message)
    this.name = 'ToolTimeoutError'
  }
}
brand(ToolTimeoutError, 'ToolTimeoutError')
