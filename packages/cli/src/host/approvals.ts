import { type ApprovalRulesConfig, approvalRules, createApprovalQueue } from '@dsh/agent'
import type { Scope } from '@dsh/tools'
import type { CliIo } from '../cli-io.ts'
import type { Screen } from '../terminal/screen.ts'
import { canAsk, TerminalApprover } from '../terminal/terminal-approver.ts'
import { UsageError } from '../usage-error.ts'

/** How asks are answered: by the person at the terminal, by nobody, or by the rules alone. */
export type ApproveMode = 'ask' | 'never' | 'rules'

/** What the model reads, and a person after it, when nobody is asked. */
const NOBODY: Readonly<Record<ApproveMode, string>> = {
  ask: 'there is no terminal on standard input and standard error to ask on. Run it in a terminal, or allow the call by a rule (dsh run --rules FILE).',
  never: 'asking is switched off with --approve never.',
  rules: 'nobody is asked with --approve rules, and no rule of --rules FILE allows it.',
}

/** Mount the approval service. @returns who asks the person at the terminal; undefined where nobody can be asked, or is to be. */
export function mountApprovals(
  io: CliIo,
  runtime: Scope,
  { screen, mode }: { screen: Screen; mode: ApproveMode },
): TerminalApprover | undefined {
  const approvals = createApprovalQueue({ noApprover: NOBODY[mode] })
  const approver = mode === 'ask' && canAsk(io) ? new TerminalApprover(io, screen) : undefined
  if (approver) approvals.attach(approver)
  runtime.provide('approval', approvals)
  return approver
}

/** Mount rules. @throws UsageError naming what is wrong with them. */
export async function mountRules(runtime: Scope, rules: ApprovalRulesConfig): Promise<void> {
  try {
    await runtime.plugin(approvalRules, rules)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
