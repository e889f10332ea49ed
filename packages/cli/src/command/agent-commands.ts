import type { Command } from 'commander'
import type { CliIo } from '../cli-io.ts'
import { positiveInteger } from '../option-values.ts'
import { readRules } from '../run/rules-file.ts'
import { UsageError } from '../usage-error.ts'
import type { InWorkspace } from './call-commands.ts'
import { type RunCommandOptions, runCommand } from './run-command.ts'

/** Add the commands in which a model makes the calls. */
export function addAgentCommands(program: Command, io: CliIo, inWorkspace: InWorkspace): void {
  program
    .command('run [prompt]')
    .description('let a model work on a prompt with the tools of this folder; - reads it from standard input')
    .option('--model <provider:name>', 'anthropic, deepseek, openai, compatible (any server that speaks like OpenAI), or recorded:FILE')
    .option('--max-steps <n>', 'how often the model may be asked in a turn', positiveInteger)
    .option('--session <id>', 'go on with this session, made when there is none')
    .option('--resume [id]', 'first take up the turn that a killed process left: in this session, or the newest')
    .option('--rules <file>', 'what runs, is asked about or denied: a JSON list of { tool, when?, decide, reason }')
    .option('--record <file>', 'append the answers of the model to a file that --model recorded:FILE replays')
    .option('--json', 'print the events of the log as JSON Lines, and the result of the turn last')
    .action((prompt: string | undefined, options: RunCommandOptions & { readonly rules?: string }) => {
      const rules = options.rules === undefined ? [] : readRules(io, options.rules)
      if (program.opts<{ approve: string }>().approve === 'rules' && options.rules === undefined) {
        throw new UsageError('--approve rules: there are no rules. Name their file with --rules FILE.')
      }
      return inWorkspace((workspace) => runCommand(io, workspace, prompt, options), { rules })()
    })
}
