import { isSessionError, type SessionErrorCode } from '@dsh/agent'
import { CommanderError } from 'commander'
import type { CliIo } from './cli-io.ts'
import { printable } from './text/printable.ts'
import { UsageError } from './usage-error.ts'

/** A session that was named wrong. */
const USAGE_CODES: readonly SessionErrorCode[] = ['SESSION_ID_INVALID', 'SESSION_NOT_FOUND', 'SESSION_EXISTS']

/** Tell what stopped the program. @returns the exit code. */
export function report(io: CliIo, error: unknown, debug: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2 // commander has said it already
  io.stderr.write(`dsh: ${printable(error instanceof Error ? error.message : String(error))}\n`)
  if (debug) io.stderr.write(printable(stacks(error)))
  const isUsage = error instanceof UsageError || (isSessionError(error) && USAGE_CODES.includes(error.code))
  return isUsage ? 2 : 1
}

function stacks(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const cause = error.cause instanceof Error ? `caused by ${stacks(error.cause)}` : ''
  return `${error.stack}\n${cause}`
}
