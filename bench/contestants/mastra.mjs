// Mastra: `agent.generate` with a stub model (AI SDK v2 specification) that asks for `size` calls, for one step.
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'
import { ARGUMENTS, addOne, assertAnswers, DESCRIPTION } from './trivial.mjs'

export const name = '@mastra/core'
export const packages = ['@mastra/core']

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

function stubModel(size) {
  const content = Array.from({ length: size }, (_, n) => ({
    type: 'tool-call',
    toolCallId: `c${n}`,
    toolName: 'add_one',
    input: ARGUMENTS,
  }))
  const parts = [{ type: 'stream-start', warnings: [] }, ...content, { type: 'finish', finishReason: 'tool-calls', usage }]
  return {
    specificationVersion: 'v2',
    provider: 'stub',
    modelId: 'stub',
    supportedUrls: {},
    doGenerate: async () => ({ content, finishReason: 'tool-calls', usage, warnings: [] }),
    doStream: async () => ({ stream: ReadableStream.from(parts) }),
  }
}

export async function create() {
  const add_one = createTool({
    id: 'add_one',
    description: DESCRIPTION,
    inputSchema: z.object({ n: z.int() }),
    outputSchema: z.int(),
    execute: addOne,
  })
  const batch = (size) => {
    const agent = new Agent({ id: 'a', name: 'a', instructions: 'x', model: stubModel(size), tools: { add_one } })
    return () => agent.generate('x', { maxSteps: 1 })
  }
  const { toolResults } = await batch(64)()
  assertAnswers(
    name,
    toolResults.map(({ payload }) => payload.result),
    64,
  )
  return { batch }
}
