import type { ToolErrorInfo, ToolFailure } from '../contract/tool.ts'
import { isBranded } from '../json/brand.ts'
import { excerpt } from '../json/text.ts'
import { type FailureCode, failure, isFailureCode } from './failures.ts'

const MAX_MESSAGE = 4_000
const OWN_CODE = /^[A-Z][A-Z0-9_]{0,63}$/
/** Codes of the runtime that a body may claim, because they are about its own arguments, output, program and deadline. */
const CLAIMABLE = new Map<string, FailureCode>([
  ['ToolArgsError', 'INVALID_ARGS'],
  ['ToolOutputError', 'INVALID_TOOL_OUTPUT'],
  ['CodeRunFailedError', 'CODE_RUN_FAILED'],
  ['ToolTimeoutError', 'TOOL_TIMEOUT'],
])

/** The text of whatever was thrown: bounded, without a stack, and never throwing itself. */
export function thrownText(thrown: unknown): string {
  const text = typeof thrown === 'object' && thrown !== null ? (read(thrown, 'message') ?? read(thrown, 'name')) : describe(thrown)
  return excerpt(text === undefined || text === '' ? 'It failed without saying why.' : text, MAX_MESSAGE)
}

/**
 * The failure of a body or wrapper that threw. An error may bring its own `code` (SCREAMING_SNAKE), a `reason` for people
 * and `retryable: true`; runtime codes cannot be claimed, except by the errors they belong to.
 */
export function thrownFailure(thrown: unknown, tool: string): ToolFailure {
  for (const [name, code] of CLAIMABLE) {
    if (isBranded(thrown, name)) return { message: thrownText(thrown), info: { name, code } }
  }
  const plain = failure('TOOL_FAILED', tool, thrownText(thrown))
  if (typeof thrown !== 'object' || thrown === null) return plain
  const code = read(thrown, 'code')
  const reason = read(thrown, 'reason')
  const info: ToolErrorInfo = {
    name: read(thrown, 'name') || 'Error',
    code: code !== undefined && OWN_CODE.test(code) && !isFailureCode(code) ? code : 'TOOL_FAILED',
    ...(reason === undefined ? {} : { reason }),
    ...(readField(thrown, 'retryable') === true ? { retryable: true } : {}),
  }
  return { message: plain.message, info }
}

function read(thrown: object, field: string): string | undefined {
  const value = readField(thrown, field)
  return typeof value === 'string' ? value : undefined
}

/** A field of whatever was thrown; undefined when it cannot be read. */
export function readField(thrown: object, field: string): unknown {
  try {
    return Reflect.get(thrown, field)
  } catch {
    return undefined // a hostile getter tells us nothing; the failure itself is still reported
  }
}

function describe(thrown: unknown): string | undefined {
  if (typeof thrown === 'string') return thrown
  if (typeof thrown === 'function') return 'It threw a function.'
  return thrown === undefined ? undefined : `It threw ${String(thrown)}.`
}
