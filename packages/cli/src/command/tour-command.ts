import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CliIo } from '../cli-io.ts'
import type { Workspace } from '../host/workspace.ts'
import { printableLine } from '../text/printable.ts'
import { batchCommand } from './batch-command.ts'

const TOUR = fileURLToPath(new URL('../../tour/tour.jsonl', import.meta.url))

/** `dsh` alone: run the shipped tour of real calls over the workspace. @returns the exit code. */
export function tourCommand(io: CliIo, workspace: Workspace): Promise<number> {
  io.stderr.write(`A tour of real calls on ${printableLine(workspace.root)}, from\n${printableLine(TOUR)}\n`)
  io.stderr.write('Run your own: dsh batch FILE, or npm start -- batch FILE (dsh --help says more)\n\n')
  return batchCommand(io, workspace, TOUR, {})
}

/** Whether a folder is what the tour is about: a checkout of dsh. */
export function isToured(root: string): boolean {
  return existsSync(join(root, 'packages', 'cli', 'tour', 'tour.jsonl'))
}
