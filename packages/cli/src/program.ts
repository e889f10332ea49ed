import { resolve } from 'node:path'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { CliIo } from './cli-io.ts'
import { batchCommand } from './command/batch-command.ts'
import { callCommand } from './command/call-command.ts'
import { toolsCommand } from './command/tools-command.ts'
import { isToured, tourCommand } from './command/tour-command.ts'
import { CONFIG_FILE } from './host/user-plugins.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from './host/workspace.ts'
import { printable } from './text/printable.ts'
import { UsageError } from './usage-error.ts'
import { VERSION } from './version.ts'

const EXAMPLES = `
Examples:
  dsh batch calls.jsonl                     run calls from a file, one JSON object a line
  echo '{"name":"glob","arguments":{"pattern":"*.md"}}' | dsh batch - --json
  dsh call grep --arg pattern=TODO
  dsh tools read

A file named ${CONFIG_FILE} in the workspace is code that is run: its plugins are mounted, unless --no-config is given.
Exit codes: 0 ok, 1 a call failed, 2 usage, 130 interrupted.`

/** A timer cannot be set for longer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Run the command line. @param argv - without the interpreter and the script. @returns the exit code. */
export async function runCli(io: CliIo, argv: readonly string[]): Promise<number> {
  let exitCode = 0
  const inWorkspace = (work: (workspace: Workspace) => number | Promise<number>) => async () => {
    const workspace = await openWorkspace(io, program.opts<WorkspaceOptions>())
    try {
      exitCode = await work(workspace)
    } finally {
      workspace.runtime.dispose()
    }
  }
  const program = createProgram(io, inWorkspace)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    return report(io, error, program.opts<WorkspaceOptions>().debug === true)
  }
}

type InWorkspace = (work: (workspace: Workspace) => number | Promise<number>) => () => Promise<void>

function createProgram(io: CliIo, inWorkspace: InWorkspace): Command {
  const program = new Command('dsh')
    .description('Run tools with typed arguments, policies and honest results.')
    .version(VERSION)
    .option('--cwd <dir>', 'the folder to work in (default: this one)')
    .option('--use <file>', 'mount the plugins a file exports; may be repeated', collect)
    .option('--no-config', `leave ${CONFIG_FILE} out`)
    .addOption(new Option('--approve <mode>', 'how calls that need an approval are answered').choices(['ask', 'never']).default('ask'))
    .option('--timeout <ms>', 'a deadline for tools that have none', timeout)
    .option('--debug', 'show stacks and debug messages')
    .helpCommand(true)
    .addHelpText('after', EXAMPLES)
    .configureOutput({ writeOut: (text) => void io.stdout.write(text), writeErr: (text) => void io.stderr.write(printable(text)) })
    .exitOverride()
  addCommands(program, io, inWorkspace)
  return program
    .allowExcessArguments(true) // of the program alone, so that an unknown command is named as one
    .action(async (_options, command: Command) => {
      const [unknown] = command.args
      if (unknown !== undefined) {
        throw new UsageError(`There is no command ${JSON.stringify(unknown)}. The commands are batch, call and tools; see dsh --help.`)
      }
      if (!isToured(resolve(io.cwd, program.opts<WorkspaceOptions>().cwd ?? '.'))) return program.outputHelp()
      await inWorkspace((workspace) => tourCommand(io, workspace))()
    })
}

function addCommands(program: Command, io: CliIo, inWorkspace: InWorkspace): void {
  program
    .command('batch <file>')
    .description('run the calls of a file of JSON Lines: { "name", "arguments", "callId"? }; - is standard input')
    .option('--json', 'print one JSON line a result, in input order')
    .option('--max-parallel <n>', 'how many calls may run at once', positiveInteger)
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

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value]
}

function timeout(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= MAX_TIMEOUT_MS)) throw new InvalidArgumentError(`It must be milliseconds, up to ${MAX_TIMEOUT_MS}.`)
  return value
}

function positiveInteger(text: string): number {
  const value = Number(text)
  if (!(Number.isSafeInteger(value) && value > 0)) throw new InvalidArgumentError('It must be a whole number from 1 on.')
  return value
}

/** Tell what stopped the program. @returns the exit code. */
function report(io: CliIo, error: unknown, debug: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2 // commander has said it already
  io.stderr.write(`dsh: ${printable(error instanceof Error ? error.message : String(error))}\n`)
  if (debug) io.stderr.write(printable(stacks(error)))
  return error instanceof UsageError ? 2 : 1
}

function stacks(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const cause = error.cause instanceof Error ? `caused by ${stacks(error.cause)}` : ''
  return `${error.stack}\n${cause}`
}
