import { defineTool, type Host, type ToolDefinition, ToolError, type ToolRunContext } from '@dsh/tools'
import type { Clock } from '@dsh/tools/ports'
import type { TerminalResultView } from '@dsh/tools/presentation'
import { safeEnd } from '../text/cut.ts'
import { printablePath } from '../text/printable-path.ts'
import { locate } from '../workspace/locate.ts'
import { type BackgroundValue, backgroundParameter, eitherSchema, isInBackground, renderBackground, runInBackground } from './background.ts'
import { type BashValue, bashSchema } from './bash-value.ts'
import { renderBash } from './render-bash.ts'
import { runForeground } from './run-foreground.ts'
import { type CheckedShellConfig, checkShellConfig, isVariableName, type ShellToolsConfig } from './shell-config.ts'

const MAX_TITLE_CHARS = 120
/** From KILL until the call gives up on what cannot be ended, and on a store that hangs. */
const GIVE_UP_MS = 40_000
/** Variables that make programs run other code than the command says, where no person sees it. */
const REFUSED =
  /^(LD_.*|DYLD_.*|GIT_.*|BASH_ENV|ENV|PATH|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|NODE_OPTIONS|PYTHONSTARTUP|PYTHONPATH|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|DSH_COMMAND)$/

/**
 * The tool `bash`: one command line, waited for. It is exclusive and its effects are unknown: nobody can tell from a command line what it
 * touches. Where the port `jobs` is there when the tool is made, a command may run in the background.
 * @param host - where the ports are looked up, clock and store of results at each call.
 * @throws TypeError for a configuration that cannot work.
 */
export function bashTool(config: ShellToolsConfig, host: Pick<Host, 'get'>): ToolDefinition {
  const { root, env, limits } = checkShellConfig(config)
  const hasJobs = host.get('jobs') !== undefined
  return defineTool({
    name: 'bash',
    description: `Run a command line in bash, without input, in the workspace, and wait for its end: at most ${limits.commandMs} ms, or timeoutMs. Gives exit code, standard output and standard error; of long output the head and the tail. Processes that it leaves in the background are ended with it${hasJobs ? ': for those, send background' : ''}.`,
    parameters: {
      command: { type: 'string', description: 'The command line.', required: true },
      description: { type: 'string', description: 'What it does, in a few words, for the person who watches.' },
      cwd: { type: 'string', description: 'Folder to run in, relative to the workspace root or absolute. Default: the root.' },
      env: { type: 'object', description: 'More environment variables, each a string.', additionalProperties: true, properties: {} },
      timeoutMs: {
        type: 'integer',
        description: `Milliseconds it may take, at most ${limits.maxCommandMs}. Default: ${limits.commandMs}.`,
      },
      ...((hasJobs ? backgroundParameter : {}) as typeof backgroundParameter),
    },
    output: {
      schema: (hasJobs ? eitherSchema : bashSchema) as typeof eitherSchema,
      render: (_args, value) => [{ type: 'text', text: isInBackground(value) ? renderBackground(value) : renderBash(value) }],
      presentationMeta: (_args, value) => endOf(value),
    },
    effects: 'unknown',
    timeoutMs: Math.max(limits.commandMs, limits.maxCommandMs) + limits.killGraceMs + GIVE_UP_MS, // its own deadline comes first
    execute: (args, exec) => runCommand(args, exec, { root, env, limits, host }),
    presentCall: ({ command, description, cwd }) => ({
      card: 'terminal',
      title: titleOf(command),
      ...(description === undefined ? {} : { description }),
      ...(cwd === undefined ? {} : { cwd }),
    }),
    presentResult({ command }, result): TerminalResultView | undefined {
      if (result.isError) return undefined
      const output = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      return { card: 'terminal', title: titleOf(command), output, ...(result.meta as Pick<BashValue, 'exitCode' | 'signal'> | undefined) }
    },
  })
}

interface BashArgs {
  readonly command: string
  readonly description?: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, unknown>>
  readonly timeoutMs?: number
  readonly background?: boolean
}

async function runCommand(
  args: BashArgs,
  exec: ToolRunContext,
  { root, env, limits, host }: CheckedShellConfig & { readonly host: Pick<Host, 'get'> },
): Promise<BashValue | BackgroundValue> {
  const { description } = args
  const place = {
    command: checkCommand(args.command),
    cwd: await folderOf(root, args.cwd ?? '.'),
    env: { ...env, ...checkVariables(args.env ?? {}) },
  }
  const maxMs = Math.max(limits.commandMs, limits.maxCommandMs)
  const timeoutMs = args.timeoutMs === undefined ? undefined : checkTimeout(args.timeoutMs, maxMs)
  if (args.background === true) {
    return runInBackground({ ...place, description, timeoutMs }, exec, host.get('jobs'))
  }
  const { commandMs, killGraceMs, streamBytes } = limits
  const parts = { clock: host.get('clock') as Clock, results: host.get('results') }
  return runForeground({ ...place, timeoutMs: timeoutMs ?? commandMs, killGraceMs, streamBytes }, exec, parts)
}

/** How the command ended, for its card. */
function endOf(value: BashValue | BackgroundValue): Pick<BashValue, 'exitCode' | 'signal'> {
  if (isInBackground(value)) return {}
  const { exitCode, signal } = value
  return { ...(exitCode === undefined ? {} : { exitCode }), ...(signal === undefined ? {} : { signal }) }
}

function checkCommand(command: string): string {
  const refuse = (what: string) => new ToolError(`The command ${what} Nothing ran.`, { code: 'INVALID_COMMAND' })
  if (command.trim() === '') throw refuse('is empty. Send the command line to run.')
  if (command.includes('\0')) throw refuse("holds a NUL character, which no command line can. Send it without; printf '\\0' prints one.")
  return command
}

async function folderOf(root: string, asked: string): Promise<string> {
  const { path, real, stats } = await locate(root, asked)
  if (stats.isDirectory()) return real
  throw new ToolError(`${printablePath(path)} is not a folder, so no command can run in it. Give cwd the folder it is in.`, {
    code: 'NOT_A_FOLDER',
  })
}

function checkVariables(given: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(given)) {
    const problem = variableProblem(name, value)
    if (problem === undefined) continue
    throw new ToolError(`The variable ${JSON.stringify(name)} ${problem}, so the command did not run. Leave it out of env.`, {
      code: 'INVALID_ENV',
    })
  }
  return given as Readonly<Record<string, string>>
}

function variableProblem(name: string, value: unknown): string | undefined {
  if (!isVariableName(name)) return 'has a name that no shell takes'
  if (REFUSED.test(name)) return 'changes which code programs run, and cannot be set by a call'
  if (typeof value !== 'string') return 'is not a string'
  return value.includes('\0') ? 'holds a NUL character' : undefined
}

function checkTimeout(timeoutMs: number, maxMs: number): number {
  if (timeoutMs >= 1 && timeoutMs <= maxMs) return timeoutMs
  throw new ToolError(`timeoutMs must lie between 1 and ${maxMs}, and ${timeoutMs} does not. The command did not run.`, {
    code: 'INVALID_TIMEOUT',
  })
}

function titleOf(command: string): string {
  const line = printablePath(command.trim())
  return line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, safeEnd(line, MAX_TITLE_CHARS))}…`
}
