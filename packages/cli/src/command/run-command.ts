import { createAgent, newSessionId, type Session, type TurnResult } from '@dsh/agent'
import type { ModelService } from '@dsh/tools/ports'
import { type CliIo, readAll } from '../cli-io.ts'
import { type Cancellation, listenForCancellation } from '../host/cancellation.ts'
import type { Workspace } from '../host/workspace.ts'
import { jsonTurnPrinter } from '../run/json-turn-printer.ts'
import { type ModelOptions, modelOf } from '../run/model-of.ts'
import { turnPrinter } from '../run/turn-printer.ts'
import { hasStore, withStore } from '../session/session-store.ts'
import { withSession } from '../session/with-session.ts'
import { UsageError } from '../usage-error.ts'

/** Options of `dsh run`. */
export interface RunCommandOptions extends ModelOptions {
  readonly json?: boolean
  readonly maxSteps?: number
  /** Go on with this session, made when there is none. */
  readonly session?: string
  /** Take up the turn that a killed process left in this session; true: in the newest one. */
  readonly resume?: string | true
}

/** `dsh run PROMPT`: let a model work on it with the tools of the workspace. @returns the exit code. @throws UsageError */
export async function runCommand(io: CliIo, workspace: Workspace, prompt: string | undefined, options: RunCommandOptions): Promise<number> {
  const input = prompt === '-' ? (await readAll(io.stdin)).toString('utf8') : prompt
  if (options.resume !== undefined && options.session !== undefined)
    throw new UsageError('--resume names its session itself: leave --session out.')
  if (options.resume === undefined && (input ?? '').trim() === '')
    throw new UsageError('There is nothing to do: dsh run "PROMPT", or - to read it from standard input.')
  const model = await modelOf(io, options)
  const id = options.resume === true ? await newestSession(workspace.root) : (options.resume ?? options.session ?? newSessionId())
  return withSession(io, workspace.root, id, (session) => runInSession(io, workspace, { session, model, input, options }))
}

/** What a run works on. */
export interface Run {
  readonly session: Session
  readonly model: ModelService
  readonly input: string | undefined
  readonly options: Pick<RunCommandOptions, 'json' | 'maxSteps' | 'resume'>
}

/** Take the turns that are asked for: the one that was left, then one on the input. */
export async function runInSession(io: CliIo, workspace: Workspace, { session, model, input, options }: Run): Promise<number> {
  const { runtime, root, screen, approver } = workspace
  const { json, maxSteps, resume } = options
  const agent = createAgent({ runtime, model, session, system: instructions(root), ...(maxSteps !== undefined && { maxSteps }) })
  const printer = json ? jsonTurnPrinter(io) : turnPrinter(io, screen)
  const cancellation = listenForCancellation(io, screen, () => printer.running)
  let isDenied = false
  if (approver) {
    approver.onStop = (tool) => {
      isDenied = true
      void agent.cancel(`The call of ${tool} was denied, and the turn with it.`)
    }
  }
  agent.watch((event) => printer.heard(event))
  const { signal } = cancellation
  try {
    let result = resume === undefined ? undefined : await agent.resume({ signal })
    if (result) printer.end(result)
    else if (resume !== undefined) io.stderr.write(`Nothing was left to take up in session ${session.id}.\n`)
    if (input !== undefined && !signal.aborted) {
      result = await agent.run(input, { signal })
      printer.end(result)
    }
    return exitCode(result, { isDenied, cancellation })
  } finally {
    cancellation.end()
    await agent.dispose()
  }
}

function exitCode(result: TurnResult | undefined, { isDenied, cancellation }: { isDenied: boolean; cancellation: Cancellation }): number {
  if (cancellation.interrupted) return 130
  if (isDenied) return 3
  return result === undefined || result.outcome === 'answered' || result.outcome === 'concluded' ? 0 : 1
}

function instructions(root: string): string {
  return `You work in the folder ${root} with the tools you are given. Find out with them instead of guessing; paths are relative to that folder. When a call is denied, do not try to reach the same by another way: say what was denied. End with a short answer in plain words.`
}

async function newestSession(root: string): Promise<string> {
  const newest = hasStore(root) ? await withStore(root, async (store) => (await store.list())[0]) : undefined
  if (newest === undefined) throw new UsageError('--resume: there is no session in this folder yet.')
  return newest.id
}
