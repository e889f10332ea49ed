import { brand } from '../json/brand.ts'

/**
 * An error a tool throws on purpose.
 *
 * @example throw new ToolError(`There is no file ${path}. Use glob to find it.`, { code: 'FILE_NOT_FOUND' })
 */
export class ToolError extends Error {
  /** SCREAMING_SNAKE identity of the failure, for policies and logs. */
  readonly code: string
  /** Raw detail for people and logs; never reaches the model. */
  readonly reason?: string
  /** The same call may succeed when it is repeated; the retry policy looks at it. */
  readonly retryable: boolean

  /** @param message - what happened, where, and what to do next: the model reads it. */
  constructor(
    message: string,
    options: { readonly code: string; readonly reason?: string; readonly retryable?: boolean; readonly cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ToolError'
    this.code = options.code
    this.retryable = options.retryable ?? false
    if (options.reason !== undefined) this.reason = options.reason
  }
}
brand(ToolError, 'ToolError')
