import type { Command } from 'commander'
import type { CliIo } from '../cli-io.ts'
import { addCallCommands, type InWorkspace } from './call-commands.ts'
import { addSessionCommands, type InFolder } from './session-commands.ts'

/** How commands get what they work on. */
export interface Runners {
  readonly inWorkspace: InWorkspace
  readonly inFolder: InFolder
}

/** Add every command but the tour. */
export function addCommands(program: Command, io: CliIo, { inWorkspace, inFolder }: Runners): void {
  addCallCommands(program, io, inWorkspace)
  addSessionCommands(program, io, inFolder)
}
