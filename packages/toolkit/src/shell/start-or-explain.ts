import { ToolError } from '@dsh/tools'
import { printablePath } from '../text/printable-path.ts'
import { type CommandSpec, type RunningCommand, startCommand } from './start-command.ts'

/** What the system lacks for the moment. */
const EXHAUSTED: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'])

/** Start a command. @throws ToolError COMMAND_TOO_LONG, PERMISSION_DENIED, or COMMAND_NOT_STARTED, which says what to do; nothing ran. */
export async function startOrExplain(spec: CommandSpec): Promise<RunningCommand> {
  try {
    return await startCommand(spec)
  } catch (cause) {
    throw explained(spec, cause as NodeJS.ErrnoException)
  }
}

function explained({ cwd }: CommandSpec, cause: NodeJS.ErrnoException): ToolError {
  const { code } = cause
  const folder = printablePath(cwd)
  if (code === 'E2BIG') {
    return new ToolError(
      'The command, or its variables, are longer than this system takes (on Linux 128 KiB each), and nothing ran. Write what is long to a file, and let the command read that.',
      { code: 'COMMAND_TOO_LONG', cause },
    )
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new ToolError(`The folder ${folder} may not be entered by this user, and nothing ran. Run the command in another folder.`, {
      code: 'PERMISSION_DENIED',
      cause,
    })
  }
  if (EXHAUSTED.has(code)) {
    return new ToolError(`The system has no room for another process now (${code}), and nothing ran. Try again when others have ended.`, {
      code: 'COMMAND_NOT_STARTED',
      retryable: true,
      cause,
    })
  }
  const why = code === 'ENOENT' || code === 'ENOTDIR' ? `the folder ${folder} is not there any more` : (code ?? 'unknown reason')
  return new ToolError(`The command could not be started (${why}), and nothing ran.`, { code: 'COMMAND_NOT_STARTED', cause })
}
