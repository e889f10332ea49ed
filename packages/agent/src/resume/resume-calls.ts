import type { Agent, ResolvedToolSet, ToolCallBlock, ToolCallResult, ToolsService } from '@dsh/tools'
import { toToolCallId } from '@dsh/tools'
import { digestOf } from '@dsh/tools/executor'
import type { CallLife } from '../log/call-life.ts'
import type { Session } from '../log/session.ts'
import { closeOpenCalls } from './close-open-calls.ts'

/** How open calls run again. */
export interface ResumeOptions {
  /** Whose tools they are. */
  readonly tools: ToolsService
  /** Whose calls they are: its `session` is the session. */
  readonly agent: Agent
  readonly signal: AbortSignal
  /** Step admission, where tools are conditional. */
  readonly toolSet?: ResolvedToolSet
}

/** A call that ran again, with its result. */
export interface ResumedCall extends ToolCallResult {
  /** The `seq` of its `tool/call`. */
  readonly call: number
  readonly name: string
}

/**
 * Run the open calls of a session again, through every policy, under the keys they had. A call whose tool is gone or has changed since is
 * closed instead: nobody declared that repeating that does no harm. Settles when every result is durable.
 * @returns the results of those that ran, in the order of the log.
 * @throws ToolBatchExecutionError, as `tools.execute`.
 */
export async function resumeCalls(session: Session, options: ResumeOptions): Promise<readonly ResumedCall[]> {
  const { agent } = options
  if (resuming.has(session)) throw new TypeError(`The calls of the session ${session.id} are being run again already.`)
  if (agent.session !== session) throw new TypeError(`The agent ${agent.id} does not keep the session ${session.id}.`)
  resuming.add(session)
  try {
    return await runAgain(session, options)
  } finally {
    resuming.delete(session)
  }
}

/** The sessions whose calls are being run again: a call is to have one result. */
const resuming = new WeakSet<Session>()

async function runAgain(session: Session, options: ResumeOptions): Promise<readonly ResumedCall[]> {
  const { tools, agent, signal, toolSet } = options
  const { same, changed } = await compare(session.openCalls, options)
  if (changed.length > 0) await closeOpenCalls(session, changed, 'The process ended first, and the tool is not what it was then.')
  const resumed: ResumedCall[] = []
  for (const lives of stepsOf(same)) {
    const { turn, step } = (lives[0] as CallLife).call.data
    const log = { turn, step, resumed: lives.map(({ call, starts }) => ({ seq: call.seq, attempts: starts.length })) }
    const calls = lives.map(toBlock)
    const { results } = await tools.execute({ calls, signal, agent, log, ...(toolSet && { toolSet }) })
    for (const [index, { call }] of lives.entries()) {
      resumed.push({ ...(results[index] as ToolCallResult), call: call.seq, name: call.data.name })
    }
  }
  return resumed
}

async function compare(lives: readonly CallLife[], { tools, agent, toolSet }: ResumeOptions) {
  const same: CallLife[] = []
  const changed: CallLife[] = []
  for (const life of lives) {
    const definition = tools.executable(life.call.data.name, agent, toolSet)
    const digest = definition && (await digestOf(definition))
    const isSame = digest !== undefined && digest === life.starts.at(-1)?.data.definition
    ;(isSame ? same : changed).push(life)
  }
  return { same, changed }
}

/** Calls of the same step run as one batch. */
function stepsOf(lives: readonly CallLife[]): CallLife[][] {
  const steps = new Map<string, CallLife[]>()
  for (const life of lives) {
    const { turn, step } = life.call.data
    const siblings = steps.get(`${turn}/${step}`)
    if (siblings) siblings.push(life)
    else steps.set(`${turn}/${step}`, [life])
  }
  return [...steps.values()]
}

function toBlock({ call: { data } }: CallLife): ToolCallBlock {
  return { type: 'tool-call', callId: toToolCallId(data.callId), name: data.name, arguments: data.arguments ?? '' }
}
