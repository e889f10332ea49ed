import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileTools } from '@dsh/toolkit'
import { type Agent, createRuntime, type Scope } from '@dsh/tools'
import { timeoutPolicy } from '@dsh/tools/policies/timeout'
import type { Logger } from '@dsh/tools/ports'
import type { CliIo } from '../cli-io.ts'
import { printableLine } from '../text/printable.ts'
import { systemReason, UsageError } from '../usage-error.ts'
import { type ApproveMode, createApprover } from './approver.ts'
import { mountFile, pluginFiles } from './user-plugins.ts'

/** What every command takes. */
export interface WorkspaceOptions {
  readonly cwd?: string
  readonly use: readonly string[]
  readonly approve: ApproveMode
  readonly timeout?: number
  readonly debug?: boolean
}

/** A runtime over one folder, and the agent that calls from the command line run for. */
export interface Workspace {
  readonly runtime: Scope
  readonly operator: Agent
  readonly root: string
}

/** Open a workspace with the standard tools and the user's plugins. @throws UsageError for a bad folder or plugin. */
export async function openWorkspace(io: CliIo, options: WorkspaceOptions): Promise<Workspace> {
  const root = resolve(io.cwd, options.cwd ?? '.')
  assertFolder(root)
  const runtime = createRuntime({ logger: stderrLogger(io, options.debug === true) })
  const operator: Agent = { id: 'operator' }
  runtime.child(operator)
  runtime.provide('approval', createApprover(io, options.approve))
  await runtime.plugin(timeoutPolicy, options.timeout === undefined ? undefined : { defaultMs: options.timeout })
  await runtime.plugin(fileTools, { root })
  for (const file of pluginFiles(root, options.use, io.cwd)) await mountFile(runtime, file)
  return { runtime, operator, root }
}

function assertFolder(root: string): void {
  try {
    if (statSync(root).isDirectory()) return
  } catch (error) {
    throw new UsageError(`--cwd ${root}: ${systemReason(error)}. Name a folder to work in.`)
  }
  throw new UsageError(`--cwd ${root}: it is not a folder. Name a folder to work in.`)
}

function stderrLogger(io: CliIo, debug: boolean): Logger {
  const write = (level: string) => (message: string, detail?: unknown) => {
    const stack = debug && detail instanceof Error ? `\n${detail.stack}` : ''
    io.stderr.write(`${level}: ${printableLine(message)}${stack}\n`)
  }
  return { debug: debug ? write('debug') : () => undefined, info: () => undefined, warn: write('warning'), error: write('error') }
}
