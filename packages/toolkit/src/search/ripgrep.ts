import { ToolError } from '@dsh/tools'
import { type ProcessEnd, runOwned } from './owned-process.ts'

/** No configuration of the user's, and .gitignore counts also where there is no git repository. */
const ALWAYS = ['--no-config', '--no-require-git']
const EXIT_PROBLEMS = 2
const MAX_PROBLEMS = 5
const MAX_PROBLEM_CHARS = 300

/** One run of ripgrep over a folder, over one file in it, or over a text. */
export interface RipgrepRun {
  /** Flags only. A value a model chose is joined to its flag (`--regexp=...`), so that it cannot be taken for one. */
  readonly flags: readonly string[]
  /** Absolute folder it runs in; what it prints is relative to it. */
  readonly folder: string
  /** A name in that folder, or the folder itself when omitted. */
  readonly file?: string
  /** A text to search in place of files. */
  readonly input?: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
  onStdout(chunk: Buffer): void
}

/** How the run went. */
export interface RipgrepEnd {
  /** Some or all of the work could not be done: `stderr` says why. */
  readonly hadProblems: boolean
  readonly stderr: string
}

/**
 * Run ripgrep to its end.
 * @throws ToolError SEARCH_FAILED when it cannot be started or dies; the signal's reason when cancelled.
 */
export async function ripgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  const command = await ripgrepPath()
  const end = await started(() =>
    runOwned({
      command,
      args: [...ALWAYS, ...run.flags, '--', run.input ? '-' : `./${run.file ?? ''}`],
      cwd: run.folder,
      signal: run.signal,
      onStdout: run.onStdout,
      ...(run.input && { input: run.input }),
    }),
  )
  if (end.code === null || end.code > EXIT_PROBLEMS) throw died(end)
  return { hadProblems: end.code === EXIT_PROBLEMS, stderr: end.stderr }
}

/** What ripgrep could not read, as one line each, without its own prefixes. */
export function problemsOf(end: RipgrepEnd): string[] {
  if (!end.hadProblems) return []
  const lines = end.stderr.split('\n').filter((line) => line.startsWith('rg: '))
  const problems = lines.slice(0, MAX_PROBLEMS).map((line) =>
    line
      .replace(/^rg: (\.\/)?/, '')
      .replace(/ \(os error \d+\)/, '')
      .slice(0, MAX_PROBLEM_CHARS),
  )
  return lines.length > MAX_PROBLEMS ? [...problems, 'and more that could not be read'] : problems
}

async function ripgrepPath(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath
  } catch (cause) {
    const message = `Searching needs ripgrep, which is not installed for ${process.platform}-${process.arch}. Tell the person who runs this system to install @vscode/ripgrep with its optional dependencies.`
    throw new ToolError(message, { code: 'SEARCH_FAILED', cause })
  }
}

async function started(run: () => Promise<ProcessEnd>): Promise<ProcessEnd> {
  try {
    return await run()
  } catch (cause) {
    const { syscall, code } = cause as NodeJS.ErrnoException
    if (syscall === undefined || !syscall.startsWith('spawn')) throw cause // cancellation, or a fault of the reader
    throw new ToolError(`ripgrep could not be started (${code}). Check that the folder still exists, then try again.`, {
      code: 'SEARCH_FAILED',
      cause,
    })
  }
}

function died(end: ProcessEnd): ToolError {
  const how = end.killedBy === null ? `with exit code ${end.code}` : `by ${end.killedBy}`
  return new ToolError(`The search ended early (${how}), so its result would not be complete. Try a narrower path or pattern.`, {
    code: 'SEARCH_FAILED',
    ...(end.stderr === '' ? {} : { reason: end.stderr }),
  })
}
