// @openai/agents: a run with a stub model that asks for `size` calls in its first turn and ends with its second.
import { Agent, Runner, tool, Usage } from '@openai/agents'
import { z } from 'zod'
import { ARGUMENTS, addOne, assertAnswers, DESCRIPTION } from './trivial.mjs'

export const name = '@openai/agents'
export const packages = ['@openai/agents']

const done = { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] }

/** One turn of calls, then the end. */
class StubModel {
  #turns

  constructor(size) {
    const calls = Array.from({ length: size }, (_, n) => ({
      type: 'function_call',
      callId: `c${n}`,
      name: 'add_one',
      status: 'completed',
      arguments: ARGUMENTS,
    }))
    this.#turns = [calls, [done]]
  }

  async getResponse() {
    return { usage: new Usage(), output: this.#turns.shift() }
  }
}

export async function create() {
  const addOneTool = tool({ name: 'add_one', description: DESCRIPTION, parameters: z.object({ n: z.int() }), execute: addOne })
  const runner = new Runner({ tracingDisabled: true })
  const batch = (size) => () => runner.run(new Agent({ name: 'a', model: new StubModel(size), tools: [addOneTool] }), 'x')
  const { newItems } = await batch(64)()
  const outputs = newItems.filter(({ type }) => type === 'tool_call_output_item')
  assertAnswers(
    name,
    outputs.map(({ output }) => Number(output)),
    64,
  )
  return { batch }
}
