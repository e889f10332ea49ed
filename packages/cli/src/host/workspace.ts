import type { ApprovalRulesConfig, Session } from '@dsh/agent'
import { type Agent, createRuntime, type Scope } from '@dsh/tools'
import { timeoutPolicy } from '@dsh/tools/policies/timeout'
import type { CliIo } from '../cli-io.ts'
import { Screen } from '../terminal/screen.ts'
import { screenLogger } from '../terminal/screen-logger.ts'
import type { TerminalApprover } from '../terminal/terminal-approver.ts'
import { type ApproveMode, mountApprovals, mountRules } from './approvals.ts'
import { mountStandardTools } from './standard-tools.ts'
import { mountUserPlugins } from './user-plugins.ts'
import { workspaceRoot } from './workspace-root.ts'

/** What every command takes. */
export interface WorkspaceOptions {
  readonly cwd?: string
  readonly use?: readonly string[]
  /** Whether the workspace's own configuration is mounted. */
  readonly config: boolean
  readonly approve: ApproveMode
  readonly timeout?: number
  readonly debug?: boolean
}

/** Whom calls from the command line run for. It keeps a session when the command names one. */
export interface Operator extends Agent {
  session?: Session
}

/** A runtime over one folder, and the agent that calls from the command line run for. */
export interface Workspace {
  readonly runtime: Scope
  readonly operator: Operator
  readonly screen: Screen
  /** Who asks the person at the terminal; undefined where nobody can be asked. */
  readonly approver: TerminalApprover | undefined
  readonly root: string
}

/**
 * Open a workspace with the standard tools and the user's plugins.
 * @param rules - what decides on the calls of a model; calls that a person wrote need none. @throws UsageError for a bad folder, rule or plugin.
 */
export async function openWorkspace(io: CliIo, options: WorkspaceOptions, rules?: ApprovalRulesConfig): Promise<Workspace> {
  const root = workspaceRoot(io, options)
  const screen = new Screen(io)
  const runtime = createRuntime({ logger: screenLogger(screen, options.debug === true) })
  const operator: Operator = { id: 'operator' }
  runtime.child(operator)
  const approver = mountApprovals(io, runtime, { screen, mode: options.approve })
  await runtime.plugin(timeoutPolicy, options.timeout === undefined ? undefined : { defaultMs: options.timeout })
  try {
    await mountStandardTools(runtime, root, { forModel: rules !== undefined })
    if (rules) await mountRules(runtime, { ...rules, root })
    await mountUserPlugins(io, runtime, { root, ...options })
  } catch (error) {
    runtime.dispose()
    throw error
  }
  return { runtime, operator, screen, approver, root }
}
