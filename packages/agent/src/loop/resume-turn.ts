import type { ContentBlock } from '@dsh/tools'
import type { AssistantBlock, ModelUsage, RequestedCall } from '@dsh/tools/ports'
import { isEvent, type LoggedError, type SessionEvent } from '../log/event.ts'
import type { Session } from '../log/session.ts'
import { closeOpenCalls } from '../resume/close-open-calls.ts'
import { resumeCalls } from '../resume/resume-calls.ts'
import { addUsage } from './model-usage.ts'
import { runCalls } from './run-calls.ts'
import { goOn, runTurn, toContent, withToolSet } from './run-turn.ts'
import type { Turn } from './turn.ts'
import type { Ending } from './turn-result.ts'

/** A turn that a log begins and does not end, as far as it came. */
export interface UnfinishedTurn {
  readonly turn: number
  /** The number of its last step; 0 before the first. */
  readonly step: number
  readonly usage: ModelUsage | undefined
  /** What the model said last; undefined when it has not answered, or has been told more since. */
  readonly answer:
    | { readonly step: number; readonly content: readonly ContentBlock[]; readonly calls: readonly RequestedCall[] }
    | undefined
  /** How many calls of that answer have been taken up. */
  readonly taken: number
  /** A tool has ended the turn. */
  readonly concluded: boolean
  /** Why the last answer is not whole, when nobody has said anything since. */
  readonly broken: LoggedError | undefined
}

/** The last turn of a log, when it has not ended. Undefined for a log whose agent is idle, or that no agent wrote. */
export function unfinishedTurn(events: readonly SessionEvent[]): UnfinishedTurn | undefined {
  const start = events.findLastIndex((event) => isEvent(event, 'turn/start') || isEvent(event, 'turn/end'))
  const first = events[start]
  if (first === undefined || !isEvent(first, 'turn/start')) return undefined
  const { turn } = first.data
  let step = 0
  let usage: ModelUsage | undefined
  let answer: UnfinishedTurn['answer']
  let taken = 0
  let concluded = false
  let broken: LoggedError | undefined
  for (const event of events.slice(start)) {
    if (isEvent(event, 'step/start')) {
      step = event.data.step
      answer = undefined
      broken = undefined
    } else if (isEvent(event, 'assistant/message')) {
      usage = addUsage(usage, event.data.usage)
      taken = 0
      broken = event.data.broken
      answer = broken ? undefined : answerOf(event.data)
    } else if (isEvent(event, 'tool/call') && event.data.step === step) taken++
    else if (isEvent(event, 'tool/result')) concluded ||= event.data.concludesTurn === true
    else if (isEvent(event, 'user/message')) {
      broken = undefined
      if (answer?.calls.length === 0) answer = undefined
    }
  }
  return { turn, step, usage, answer, taken, concluded, broken }
}

/** End what a killed process left, for a turn that has nothing to do with it. */
export async function abandonTurn(session: Session): Promise<void> {
  const left = unfinishedTurn(session.events)
  if (session.openCalls.length > 0) await closeOpenCalls(session)
  if (left === undefined) return
  const { turn, step, usage } = left
  await session.log('turn/end', { turn, outcome: 'abandoned', steps: step, ...(usage && { usage }) })
}

/** Take up a turn where the process that began it was killed: calls that may run again are, calls that were not begun are begun, and the model goes on. */
export async function resumeTurn(turn: Turn, { answer, taken, concluded, broken }: UnfinishedTurn): Promise<Ending> {
  const { agent, session, tools } = turn.parts
  let isConcluded = concluded
  if (broken) await session.log('user/message', goOn(broken))
  const ending = await withToolSet(turn, async (toolSet) => {
    const resumed = await resumeCalls(session, { tools, agent, signal: turn.signal, toolSet })
    isConcluded ||= resumed.some(({ result }) => result.concludesTurn === true)
    const rest = answer?.calls.slice(taken) ?? []
    return rest.length > 0 ? runCalls(turn, rest, toolSet) : undefined
  })
  if (ending) return ending
  const isAnswered = answer?.calls.length === 0
  const close = isConcluded || isAnswered ? turn.close(isConcluded ? 'concluded' : 'answered') : undefined
  return close ?? runTurn(turn)
}

function answerOf({ step, content }: { readonly step: number; readonly content: readonly AssistantBlock[] }): UnfinishedTurn['answer'] {
  return {
    step,
    content: content.flatMap(toContent),
    calls: content.filter((block): block is RequestedCall => block.type === 'tool-call'),
  }
}
