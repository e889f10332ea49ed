import { createInterface } from 'node:readline/promises'
import type { ApprovalAnswer, ApprovalRequest, ApprovalService } from '@dsh/tools/ports'
import type { CliIo } from '../cli-io.ts'
import { printable, printableLine } from '../text/printable.ts'

const MAX_ARGUMENTS = 2_000

/** How asks are answered: by the person at the terminal, or by nobody. */
export type ApproveMode = 'ask' | 'never'

/** The approval service of the command line. Without a terminal on both ends nobody can be asked, and it says so. */
export function createApprover(io: CliIo, mode: ApproveMode): ApprovalService {
  if (mode === 'never') return { request: async () => ({ outcome: 'unavailable', note: 'asking is switched off with --approve never.' }) }
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true) {
    const note =
      'there is no terminal on standard input and standard error to ask on. Run it in a terminal, or allow the call with a policy (--use FILE).'
    return { request: async () => ({ outcome: 'unavailable', note }) }
  }
  return { request: (ask) => askPerson(io, ask) }
}

async function askPerson(io: CliIo, ask: ApprovalRequest): Promise<ApprovalAnswer> {
  const { exec, reason, displayReason, signal } = ask
  const args = printable(JSON.stringify(exec.arguments, null, 2))
  const why = displayReason?.['en'] ?? reason
  io.stderr.write(`\n? ${printableLine(exec.name)} asks to run${why ? `: ${printableLine(why)}` : ''}\n`)
  io.stderr.write(`${args.length > MAX_ARGUMENTS ? `${args.slice(0, MAX_ARGUMENTS)}… (${args.length} characters)` : args}\n`)
  const reader = createInterface({ input: io.stdin, output: io.stderr, terminal: true })
  try {
    const answer = (await reader.question('  Allow once? [y/N, or n and a reason] ', { signal })).trim()
    if (/^(y|yes)$/i.test(answer)) return { outcome: 'allowed-once' }
    const note = answer.replace(/^(no|n)\b[\s,:;.-]*/i, '')
    return note === '' ? { outcome: 'rejected' } : { outcome: 'rejected', note }
  } catch (error) {
    if (signal.aborted || (error as Error).name === 'AbortError') return { outcome: 'cancelled' }
    throw error
  } finally {
    reader.close()
  }
}
