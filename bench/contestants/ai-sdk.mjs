// The AI SDK: one step of a stub model that asks for `size` calls.
import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { ARGUMENTS, addOne, assertAnswers, DESCRIPTION, INPUT } from './trivial.mjs'

export const name = 'ai'
export const packages = ['ai']

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

export async function create() {
  const tools = { add_one: tool({ description: DESCRIPTION, inputSchema: jsonSchema(INPUT), execute: addOne }) }
  const batch = (size) => {
    const content = Array.from({ length: size }, (_, n) => ({
      type: 'tool-call',
      toolCallId: `c${n}`,
      toolName: 'add_one',
      input: ARGUMENTS,
    }))
    const finishReason = { unified: 'tool-calls', raw: 'tool-calls' }
    const answer = { content, finishReason, usage, warnings: [] }
    return () => {
      const model = new MockLanguageModelV3({ doGenerate: async () => answer })
      return generateText({ model, tools, prompt: 'x', stopWhen: stepCountIs(1) })
    }
  }
  const { toolResults } = await batch(64)()
  assertAnswers(
    name,
    toolResults.map(({ output }) => output),
    64,
  )
  return { batch }
}
