import type { AgentParts } from './agent-parts.ts'
import { Turn } from './turn.ts'
import type { Ending, TurnResult } from './turn-result.ts'

/** What is done in a turn. */
export type TurnWork = (turn: Turn) => Promise<Ending>

/** How a turn is begun. */
export interface TurnOptions {
  readonly number: number
  readonly maxSteps: number
  /** The caller's. */
  readonly signal: AbortSignal | undefined
  readonly work: TurnWork
  /** Called when it is over, before `done` settles. */
  readonly ended: () => void
}

/** A turn that goes on. */
export interface TurnUnderWay {
  readonly turn: Turn
  readonly done: Promise<TurnResult>
  cancel(reason: unknown): void
}

/** Begin a turn. It is under way at once, and nothing of it happens before the caller has gone on. */
export function beginTurn(parts: AgentParts, { number, maxSteps, signal, work, ended }: TurnOptions): TurnUnderWay {
  const controller = new AbortController()
  const turn = new Turn(parts, { number, maxSteps, signal: controller.signal })
  const cancel = (reason: unknown) => controller.abort(reason)
  const done = carryOut(turn, { work, signal, cancel }).finally(ended)
  return { turn, done, cancel }
}

type Errand = Pick<TurnOptions, 'work' | 'signal'> & Pick<TurnUnderWay, 'cancel'>

async function carryOut(turn: Turn, { work, signal, cancel }: Errand): Promise<TurnResult> {
  const { session, emit } = turn.parts
  const stop = () => cancel(signal?.reason)
  const tellStopping = () => emit({ kind: 'stopping', turn: turn.number, reason: turn.cancelled().error?.message ?? '' })
  turn.signal.addEventListener('abort', tellStopping, { once: true })
  if (signal?.aborted) stop()
  else signal?.addEventListener('abort', stop, { once: true })
  try {
    await undefined
    const result = turn.result(await endOf(turn, work))
    turn.isClosed = true
    const { outcome, steps, usage, error } = result
    await session.log(
      'turn/end',
      { turn: turn.number, outcome, steps, ...(usage && { usage }), ...(error && { error }) },
      { durable: true },
    )
    return result
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** What breaks ends the turn with its words, as long as there is a log to write them to. */
async function endOf(turn: Turn, work: TurnWork): Promise<Ending> {
  try {
    return await work(turn)
  } catch (error) {
    turn.parts.session.assertWritable()
    return { outcome: 'failed', error: { code: 'TURN_FAILED', message: error instanceof Error ? error.message : String(error) } }
  }
}
