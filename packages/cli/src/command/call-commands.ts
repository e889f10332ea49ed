import type { ApprovalRulesConfig } from '@dsh/agent'
import type { Command } from 'commander'
import type { CliIo } from '../cli-io.ts'
import type { Workspace } from '../host/workspace.ts'
import { collect, positiveInteger } from '../option-values.ts'
import { batchCommand } from './batch-command.ts'
import { callCommand } from './call-command.ts'
import { toolsCommand } from './tools-command.ts'

/** Make an action of a command that works in the workspace; `rules` decide on the calls of a model. */
export type InWorkspace = (work: (workspace: Workspace) => number | Promise<number>, rules?: ApprovalRulesConfig) => () => Promise<void>

/** Add the commands that call tools, or show them. */
export function addCallCommands(program: Command, io: CliIo, inWorkspace: InWorkspace): void {
  program
    .command('batch <file>')
    .description('run the calls of a file of JSON Lines: { "name", "arguments", "callId"? }; - is standard input')
    .option('--json', 'print one JSON line a result, in input order')
    .option('--max-parallel <n>', 'how many calls may run at once', positiveInteger)
    .option('--session <id>', 'log it as the next turn of this session, made when there is none')
    .action((file: string, options) => inWorkspace((workspace) => batchCommand(io, workspace, file, options))())
  program
    .command('call <name>')
    .description('run one call')
    .option('--arg <name=value>', 'an argument; text as it is, anything else as JSON; may be repeated', collect)
    .option('--args-json <file>', 'all arguments: a file with one JSON object; - is standard input')
    .option('--json', 'print the result as a JSON line')
    .action((name: string, options) => inWorkspace((workspace) => callCommand(io, workspace, name, options))())
  program
    .command('tools [name]')
    .description('list the tools, or show one')
    .option('--json', 'print JSON Lines')
    .action((name: string | undefined, options) => inWorkspace((workspace) => toolsCommand(io, workspace, name, options.json === true))())
}
