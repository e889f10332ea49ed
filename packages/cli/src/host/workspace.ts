import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Session } from '@dsh/agent'
import { fileTools } from '@dsh/toolkit'
import { type Agent, createRuntime, type Scope } from '@dsh/tools'
import { timeoutPolicy } from '@dsh/tools/policies/timeout'
import type { Logger } from '@dsh/tools/ports'
import type { CliIo } from '../cli-io.ts'
import { printable, printableLine } from '../text/printable.ts'
import { systemReason, UsageError } from '../usage-error.ts'
import { type ApproveMode, Approver } from './approver.ts'
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
  /** The scope of the operator. */
  readonly scope: Scope
  readonly approver: Approver
  readonly root: string
}

/** Open a workspace with the standard tools and the user's plugins. @throws UsageError for a bad folder or plugin. */
export async function openWorkspace(io: CliIo, options: WorkspaceOptions): Promise<Workspace> {
  const root = workspaceRoot(io, options)
  const runtime = createRuntime({ logger: stderrLogger(io, options.debug === true) })
  const operator: Operator = { id: 'operator' }
  const approver = new Approver(io, options.approve)
  const scope = runtime.child(operator)
  runtime.provide('approval', approver)
  await runtime.plugin(timeoutPolicy, options.timeout === undefined ? undefined : { defaultMs: options.timeout })
  await runtime.plugin(fileTools, { root })
  const config = options.config ? configFile(root) : undefined
  if (config !== undefined) io.stderr.write(`dsh: using ${printableLine(config)} (--no-config leaves it out)\n`)
  try {
    await mountFiles(runtime, [...(config === undefined ? [] : [config]), ...(options.use ?? []).map((file) => resolve(io.cwd, file))])
  } catch (error) {
    runtime.dispose()
    throw error
  }
  return { runtime, operator, scope, approver, root }
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

function stderrLogger(io: CliIo, debug: boolean): Logger {
  const write = (level: string) => (message: string, detail?: unknown) => {
    const stack = debug && detail instanceof Error ? `\n${printable(String(detail.stack))}` : ''
    io.stderr.write(`dsh: ${level}: ${printableLine(message.replace(/^dsh: /, ''))}${stack}\n`)
  }
  return { debug: debug ? write('debug') : () => undefined, info: () => undefined, warn: write('warning'), error: write('error') }
}
