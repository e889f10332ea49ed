// The loop of the AI SDK, which runs all calls of a step at once and keeps no log.
import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { CALLS, SLEEP } from './loop-step.mjs'
import { ARGUMENTS, DESCRIPTION, INPUT } from './trivial.mjs'

export const name = 'ai'

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const answer = (content, reason) => ({ content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] })
const call = (n) => ({ type: 'tool-call', toolCallId: `c${n}`, toolName: 'add_one', input: ARGUMENTS })
const STEP = answer(
  Array.from({ length: CALLS }, (_, n) => call(n)),
  'tool-calls',
)
const WORDS = answer([{ type: 'text', text: 'done' }], 'stop')

export async function create() {
  const tools = { add_one: tool({ description: DESCRIPTION, inputSchema: jsonSchema(INPUT), execute: SLEEP }) }
  return async () => {
    let asked = 0
    const model = new MockLanguageModelV3({ doGenerate: async () => (asked++ === 0 ? STEP : WORDS) })
    const { text, steps } = await generateText({ model, tools, prompt: 'go', stopWhen: stepCountIs(5) })
    if (text !== 'done' || steps[0].toolResults.length !== CALLS) throw new Error('a result is missing')
  }
}
