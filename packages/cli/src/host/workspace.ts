import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ApprovalRulesConfig, Session } from '@dsh/agent'
import { fileTools } from '@dsh/toolkit'
import { type Agent, createRuntime, type Scope } from '@dsh/tools'
import { timeoutPolicy } from '@dsh/tools/policies/timeout'
import type { CliIo } from '../cli-io.ts'
import { Screen } from '../terminal/screen.ts'
import { screenLogger } from '../terminal/screen-logger.ts'
import type { TerminalApprover } from '../terminal/terminal-approver.ts'
import { printableLine } from '../text/printable.ts'
import { systemReason, UsageError } from '../usage-error.ts'
import { type ApproveMode, mountApprovals, mountRules } from './approvals.ts'
import { configFile, mountFiles } from './user-plugins.ts'

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
  await runtime.plugin(fileTools, { root })
  const config = options.config ? configFile(root) : undefined
  if (config !== undefined) io.stderr.write(`dsh: using ${printableLine(config)} (--no-config leaves it out)\n`)
  try {
    if (rules) await mountRules(runtime, { ...rules, root })
    await mountFiles(runtime, [...(config === undefined ? [] : [config]), ...(options.use ?? []).map((file) => resolve(io.cwd, file))])
  } catch (error) {
    runtime.dispose()
    throw error
  }
  return { runtime, operator, screen, approver, root }
}

/** The folder to work in. @throws UsageError when it is none. */
export function workspaceRoot(io: CliIo, { cwd = '.' }: Pick<WorkspaceOptions, 'cwd'>): string {
  const root = resolve(io.cwd, cwd)
  try {
    if (statSync(root).isDirectory()) return root
  } catch (error) {
    throw new UsageError(`--cwd ${root}: ${systemReason(error, 'folder')}. Name a folder to work in.`, { cause: error })
  }
  throw new UsageError(`--cwd ${root}: it is not a folder. Name a folder to work in.`)
}
