// dsh: a raw batch, parsed, classified, validated, run, validated, rendered, frozen.
import { createRuntime, defineTool } from '@dsh/tools'
import { ARGUMENTS, addOne, assertAnswers, DESCRIPTION, OUTPUT, PARAMETERS, SIGNAL } from './trivial.mjs'

export const name = 'dsh'
export const packages = []

const call = { type: 'tool-call', callId: 'c', name: 'add_one', arguments: ARGUMENTS }

export function addOneTool(toolName = 'add_one') {
  return defineTool({
    name: toolName,
    description: DESCRIPTION,
    parameters: PARAMETERS,
    output: { schema: OUTPUT },
    effects: 'none',
    isConcurrencySafe: () => true,
    execute: addOne,
  })
}

export async function create() {
  const runtime = createRuntime()
  runtime.tools.register(addOneTool())
  const batch = (size) => {
    const calls = Array(size).fill(call)
    return () => runtime.tools.execute({ calls, signal: SIGNAL })
  }
  const { results } = await batch(64)()
  assertAnswers(
    name,
    results.map(({ result }) => result.value),
    64,
  )
  return { runtime, one: batch(1), batch }
}
