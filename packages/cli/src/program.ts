import { Command, Option } from 'commander'
import type { CliIo } from './cli-io.ts'
import { addCommands, type Runners } from './command/add-commands.ts'
import { demoCommand, demoRules, isCheckout } from './command/demo-command.ts'
import { CONFIG_FILE } from './host/user-plugins.ts'
import { openWorkspace, type WorkspaceOptions } from './host/workspace.ts'
import { workspaceRoot } from './host/workspace-root.ts'
import { collect, timeout } from './option-values.ts'
import { report } from './report.ts'
import { printable } from './text/printable.ts'
import { UsageError } from './usage-error.ts'
import { VERSION } from './version.ts'

const EXAMPLES = `
Examples:
  dsh run "What does this project do?" --model anthropic:NAME
  dsh run --resume                          go on with a turn that was killed
  dsh batch calls.jsonl                     run calls from a file, one JSON object a line
  echo '{"name":"glob","arguments":{"pattern":"*.md"}}' | dsh batch - --json
  dsh call grep --arg pattern=TODO
  dsh tools read
  dsh batch calls.jsonl --session nightly   the same, in a log that survives a crash
  dsh replay nightly                        what happened in it

A file named ${CONFIG_FILE} in the workspace is code that is run: its plugins are mounted, unless --no-config is given.
Exit codes: 0 ok, 1 a call or a turn failed, 2 usage, 3 denied and stopped, 130 interrupted.`

/** Run the command line. @param argv - without the interpreter and the script. @returns the exit code. */
export async function runCli(io: CliIo, argv: readonly string[]): Promise<number> {
  let exitCode = 0
  const runners: Runners = {
    inWorkspace: (work, rules) => async () => {
      const workspace = await openWorkspace(io, program.opts<WorkspaceOptions>(), rules)
      try {
        exitCode = await work(workspace)
      } finally {
        workspace.runtime.dispose()
      }
    },
    async inFolder(work) {
      exitCode = await work(workspaceRoot(io, program.opts<WorkspaceOptions>()))
    },
  }
  const program = createProgram(io, runners)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    return report(io, error, program.opts<WorkspaceOptions>().debug === true)
  }
}

function createProgram(io: CliIo, runners: Runners): Command {
  const program = new Command('dsh')
    .description('Run tools with typed arguments, policies and honest results.')
    .version(VERSION)
    .option('--cwd <dir>', 'the folder to work in (default: this one)')
    .option('--use <file>', 'mount the plugins a file exports; may be repeated', collect)
    .option('--no-config', `leave ${CONFIG_FILE} out`)
    .addOption(
      new Option('--approve <mode>', 'how calls that need an approval are answered').choices(['ask', 'never', 'rules']).default('ask'),
    )
    .option('--timeout <ms>', 'a deadline for tools that have none', timeout)
    .option('--debug', 'show stacks and debug messages')
    .helpCommand(true)
    .addHelpText('after', EXAMPLES)
    .configureOutput({ writeOut: (text) => void io.stdout.write(text), writeErr: (text) => void io.stderr.write(printable(text)) })
    .exitOverride()
  addCommands(program, io, runners)
  return program
    .allowExcessArguments(true) // of the program alone, so that an unknown command is named as one
    .action(async (_options, command: Command) => {
      const [unknown] = command.args
      if (unknown !== undefined) {
        throw new UsageError(
          `There is no command ${JSON.stringify(unknown)}. The commands are run, batch, call, tools, sessions and replay; see dsh --help.`,
        )
      }
      if (!isCheckout(workspaceRoot(io, program.opts<WorkspaceOptions>()))) return program.outputHelp()
      await runners.inWorkspace((workspace) => demoCommand(io, workspace), { rules: demoRules(io) })()
    })
}
