import type { ContentBlock, ResolvedToolSet, UserMessage } from '@dsh/tools'
import type { AssistantBlock, ModelRequest } from '@dsh/tools/ports'
import type { LoggedError } from '../log/event.ts'
import { type Asked, askModel } from './ask-model.ts'
import { runCalls } from './run-calls.ts'
import { systemPrompt } from './system-prompt.ts'
import type { Turn } from './turn.ts'
import type { Ending } from './turn-result.ts'

/** Take steps until the turn ends: the model is asked, and what it calls is run. Settles when nothing of it runs any more. */
export async function runTurn(turn: Turn): Promise<Ending> {
  for (;;) {
    const ending = await takeStep(turn)
    if (ending) return ending
  }
}

/** One step: its tools, the model's answer, and the calls in it. Undefined when another one is to follow. */
async function takeStep(turn: Turn): Promise<Ending | undefined> {
  if (turn.signal.aborted) return turn.cancelled()
  if (turn.step >= turn.maxSteps) return { outcome: 'max-steps' }
  return withToolSet(turn, async (toolSet) => {
    turn.step++
    const asked = await ask(turn, toolSet)
    await keep(turn, asked)
    if (asked.kind === 'cancelled') return turn.cancelled()
    if (asked.kind === 'broken') return afterBreak(turn, asked.error, asked.answer.content.length > 0)
    if (isCut(asked)) return afterBreak(turn, CUT, true)
    const { calls } = asked.answer
    turn.breaks = 0
    if (calls.length === 0) return turn.close('answered')
    return runCalls(turn, calls, toolSet)
  })
}

/** Work with the tools that the step may call. A condition that cannot be told ends the turn. */
export async function withToolSet(
  turn: Turn,
  work: (toolSet: ResolvedToolSet) => Promise<Ending | undefined>,
): Promise<Ending | undefined> {
  const { agent, tools } = turn.parts
  let toolSet: ResolvedToolSet
  try {
    toolSet = await tools.resolve({ agent, modelSelection: turn.selection, signal: turn.signal })
  } catch (error) {
    if (turn.signal.aborted) return turn.cancelled()
    return {
      outcome: 'failed',
      error: { code: 'STEP_NOT_PREPARED', message: `The tools of the step could not be told: ${messageOf(error)}` },
    }
  }
  try {
    return await work(toolSet)
  } finally {
    toolSet.dispose()
  }
}

async function ask(turn: Turn, toolSet: ResolvedToolSet): Promise<Asked> {
  const { agent, tools, session, history, model, clock, patience, system, sections, maxOutputTokens, emit } = turn.parts
  const { schemas } = tools.modelInput(agent, toolSet)
  const prompt = systemPrompt(system, [...sections, ...tools.sections(agent)], agent)
  turn.unread = 0
  // In one go: what is said to the agent from here on comes after this step, and the log says so.
  const started = session.log('step/start', { ...turn.log, ...(model.selection && { model: model.selection }) })
  started.catch(() => undefined) // told below, also when what is between throws
  const request: ModelRequest = {
    messages: history.read(session.events).messages,
    ...(prompt !== undefined && { system: prompt }),
    ...(schemas.length > 0 && { tools: schemas }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  }
  await started
  return askModel(
    {
      model,
      clock,
      patience,
      signal: turn.signal,
      onEvent: (event) => emit({ kind: 'piece', ...turn.log, event }),
      onRetry: (retry) => emit({ kind: 'retry', ...turn.log, ...retry }),
    },
    request,
  )
}

/** Write down what was said. Nothing waits for the disk here: the start of a body with effects, and the end of the turn, do. */
async function keep(turn: Turn, asked: Asked): Promise<void> {
  const { answer } = asked
  const { usage, finish } = answer
  const broken = breakOf(asked)
  const content = isCut(asked) ? answer.content.filter(({ type }) => type === 'text') : answer.content
  turn.spent(usage)
  turn.finish = finish
  turn.content = content.flatMap(toContent)
  if (broken && content.length === 0 && usage === undefined) return
  await turn.parts.session.log('assistant/message', {
    ...turn.log,
    content,
    ...(usage && { usage }),
    ...(finish && { finish }),
    ...(broken && { broken }),
  })
}

/** Whether an answer with calls was cut short: none of them is run, whole as they may look. */
function isCut({ kind, answer: { calls, finish } }: Asked): boolean {
  // What a model of somebody else's gives as its reason may be none of ours: only a known good end lets calls run.
  return kind === 'answered' && calls.length > 0 && finish !== 'stop' && finish !== 'tool-calls' && finish !== 'other'
}

/** Why an answer is not whole; undefined when it is. */
function breakOf(asked: Asked): LoggedError | undefined {
  if (isCut(asked)) return CUT
  if (asked.kind === 'cancelled') return CANCELLED
  return asked.kind === 'broken' ? toLogged(asked.error) : undefined
}

/** An answer that broke off is asked to go on, a few times. One that nothing came of has been tried often enough. */
async function afterBreak(turn: Turn, error: LoggedError & { readonly retryable?: boolean }, isKept: boolean): Promise<Ending | undefined> {
  if (!isKept || error.retryable === false || turn.breaks >= turn.parts.patience.maxRetries) {
    return { outcome: 'failed', error: toLogged(error) }
  }
  turn.breaks++
  await turn.parts.session.log('user/message', goOn(error))
  return undefined
}

/** What the model reads after an answer of its own that is not whole. */
export function goOn({ code, message }: LoggedError): UserMessage {
  const text = `Your answer above is not whole (${code}: ${message}) None of its tool calls was run. Go on from where it ends.`
  return { source: { kind: 'plugin', name: 'agent-loop' }, content: [{ type: 'text', text }] }
}

const CUT: LoggedError = { code: 'ANSWER_CUT', message: 'It was cut before its end, by its limit of tokens or by a filter.' }
const CANCELLED: LoggedError = { code: 'CANCELLED', message: 'The turn was cancelled.' }

function toLogged({ code, message }: LoggedError): LoggedError {
  return { code, message }
}

/** What was said, without what only the provider wants back. */
export function toContent(block: AssistantBlock): readonly ContentBlock[] {
  if (block.type === 'tool-call' || block.type === 'reasoning') return []
  return [block.type === 'text' ? { type: 'text', text: block.text } : block]
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
