import type { Command } from 'commander'
import type { CliIo } from '../cli-io.ts'
import { addAgentCommands } from './agent-commands.ts'
import { addCallCommands, type InWorkspace } from './call-commands.ts'
import { addSessionCommands, type InFolder } from './session-commands.ts'

/** How commands get what they work on. */
export interface Runners {
  readonly inWorkspace: InWorkspace
  readonly inFolder: InFolder
}

/** Add every command but the demo, which is what dsh alone does in a checkout. */
export function addCommands(program: Command, io: CliIo, { inWorkspace, inFolder }: Runners): void {
  addAgentCommands(program, io, inWorkspace)
  addCallCommands(program, io, inWorkspace)
  addSessionCommands(program, io, inFolder)
}
