// The best known implementation, on its Cordis.
import { Context } from '@deepseek-ai/cordis'
import * as systemPrompt from '@deepseek-ai/dsh-system-prompt'
import * as peer from '@deepseek-ai/dsh-tools'
import { ARGUMENTS, addOne, assertAnswers, DESCRIPTION, OUTPUT, PARAMETERS, SIGNAL } from './trivial.mjs'

export const name = '@deepseek-ai/dsh-tools'
export const packages = ['@deepseek-ai/dsh-tools', '@deepseek-ai/cordis']

const output = { schema: OUTPUT, render: (_args, value) => [{ type: 'text', text: String(value) }] }

export const defineTool = peer.defineTool

export function addOneTool(toolName = 'add_one') {
  return defineTool({ name: toolName, description: DESCRIPTION, parameters: PARAMETERS, output, execute: addOne })
}

export async function createContext() {
  const ctx = new Context()
  await ctx.plugin(systemPrompt.default ?? systemPrompt.SystemPrompt)
  await ctx.plugin(peer.default ?? peer.ToolRuntime)
  return ctx
}

export async function create() {
  const ctx = await createContext()
  ctx.tools.register(addOneTool())
  const one = () => ctx.tools.execute({ callId: 'c', name: 'add_one', arguments: JSON.parse(ARGUMENTS), signal: SIGNAL })
  assertAnswers(name, [(await one()).value], 1)
  return { ctx, one }
}
