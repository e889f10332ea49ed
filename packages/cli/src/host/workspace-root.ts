import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CliIo } from '../cli-io.ts'
import { systemReason, UsageError } from '../usage-error.ts'

/** The folder to work in. @throws UsageError when it is none. */
export function workspaceRoot(io: CliIo, { cwd = '.' }: { readonly cwd?: string }): string {
  const root = resolve(io.cwd, cwd)
  try {
    if (statSync(root).isDirectory()) return root
  } catch (error) {
    throw new UsageError(`--cwd ${root}: ${systemReason(error, 'folder')}. Name a folder to work in.`, { cause: error })
  }
  throw new UsageError(`--cwd ${root}: it is not a folder. Name a folder to work in.`)
}
