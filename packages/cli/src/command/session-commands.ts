import type { Command } from 'commander'
import type { CliIo } from '../cli-io.ts'
import { positiveInteger } from '../option-values.ts'
import { replayCommand } from './replay-command.ts'
import { deleteSessionsCommand, exportSessionCommand, importSessionCommand, sessionsCommand } from './sessions-command.ts'

/** Run a command that needs the folder alone, and no runtime. */
export type InFolder = (work: (root: string) => Promise<number>) => Promise<void>

/** Add the commands that read and keep logs. */
export function addSessionCommands(program: Command, io: CliIo, inFolder: InFolder): void {
  const sessions = program.command('sessions').description('list the sessions of this folder, or work on them')
  sessions
    .command('list [text]', { isDefault: true })
    .description('list the sessions whose id holds the text, the newest first')
    .option('--tool <name>', 'only those in which this tool was called')
    .option('--failed', 'only those with calls that failed')
    .option('--open', 'only those with calls that have no result')
    .option('--json', 'print JSON Lines')
    .action((text: string | undefined, options) => inFolder((root) => sessionsCommand(io, root, text, options)))
  sessions
    .command('delete <id...>')
    .description('remove sessions and what they hold; one that a process writes is refused')
    .action((ids: string[]) => inFolder((root) => deleteSessionsCommand(io, root, ids)))
  sessions
    .command('export <id> [file]')
    .description('write a session as JSON Lines, to a new file or to standard output')
    .action((id: string, file: string | undefined) => inFolder((root) => exportSessionCommand(io, root, id, file)))
  sessions
    .command('import <file> [id]')
    .description('keep an export as a session of this folder')
    .action((file: string, id: string | undefined) => inFolder((root) => importSessionCommand(io, root, file, id)))
  program
    .command('replay <id|file>')
    .description('print what happened in a session, from its log alone')
    .option('--turn <n>', 'only this turn', positiveInteger)
    .option('--json', 'print the events as JSON Lines')
    .action((name: string, options) => inFolder((root) => replayCommand(io, root, name, options)))
}
