// Our loop, on the memory store.
import { createAgent, createMemoryStore, openSession } from '@dsh/agent'
import { createRuntime, defineTool } from '@dsh/tools'
import { CALLS, SLEEP } from './loop-step.mjs'
import { ARGUMENTS, DESCRIPTION, OUTPUT, PARAMETERS } from './trivial.mjs'

export const name = '@dsh/agent'

const call = (n) => ({ kind: 'tool-call', call: { type: 'tool-call', callId: `c${n}`, name: 'add_one', arguments: ARGUMENTS } })
const STEP = [...Array.from({ length: CALLS }, (_, n) => call(n)), { kind: 'finish', reason: 'tool-calls' }]
const WORDS = [
  { kind: 'text', text: 'done' },
  { kind: 'finish', reason: 'stop' },
]

const model = {
  async *stream({ messages }) {
    yield* messages.at(-1).role === 'user' ? STEP : WORDS
  },
}

export async function create(cap) {
  const runtime = createRuntime()
  const output = { schema: OUTPUT }
  runtime.tools.register(
    defineTool({
      name: 'add_one',
      description: DESCRIPTION,
      parameters: PARAMETERS,
      output,
      isConcurrencySafe: () => true,
      execute: SLEEP,
    }),
  )
  const store = createMemoryStore()
  let made = 0
  /** A turn of a new agent: a history that grows would be measured, too. */
  return async () => {
    const session = await openSession(store, `s${++made}`, { create: true })
    const agent = createAgent({ runtime, model, session, maxParallelToolCalls: cap })
    const { outcome, steps } = await agent.run('go')
    const results = session.events.filter(({ type }) => type === 'tool/result').length
    if (outcome !== 'answered' || steps !== 2 || results !== CALLS)
      throw new Error(`${outcome} after ${steps} steps and ${results} results`)
    await agent.dispose()
    await session.close()
    await store.delete(session.id)
  }
}
