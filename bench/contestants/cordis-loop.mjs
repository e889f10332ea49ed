// The loop of the best known implementation, on its Cordis and its sessions in memory. It needs Node 22.
import { Context } from '@deepseek-ai/cordis'
import * as agents from '@deepseek-ai/dsh-agent'
import * as loop from '@deepseek-ai/dsh-agent-loop'
import * as llm from '@deepseek-ai/dsh-llm'
import * as sessions from '@deepseek-ai/dsh-session'
import * as systemPrompt from '@deepseek-ai/dsh-system-prompt'
import * as tools from '@deepseek-ai/dsh-tools'
import { CALLS, SLEEP } from './loop-step.mjs'
import { ARGUMENTS, DESCRIPTION, OUTPUT, PARAMETERS } from './trivial.mjs'

export const name = '@deepseek-ai/dsh-agent-loop'

class StubAdapter extends llm.LlmAdapter {
  async *stream({ messages }) {
    const isFirst = !messages.some(({ role }) => role === 'assistant')
    yield* isFirst ? step() : words()
    yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } }
    yield { type: 'finish', reason: isFirst ? 'tool-calls' : 'stop' }
  }
}

function* step() {
  for (let index = 0; index < CALLS; index++) {
    const block = { type: 'tool-call', id: `c${index}`, name: 'add_one', arguments: ARGUMENTS }
    yield { type: 'block-start', index, blockType: 'tool-call' }
    yield { type: 'tool-call-delta', index, id: block.id, name: block.name, argumentsDelta: block.arguments }
    yield { type: 'block-end', index, block }
  }
}

function* words() {
  yield { type: 'block-start', index: 0, blockType: 'text' }
  yield { type: 'text-delta', index: 0, text: 'done' }
  yield { type: 'block-end', index: 0, block: { type: 'text', text: 'done' } }
}

export async function create(cap) {
  const ctx = new Context()
  for (const plugin of [systemPrompt, tools, llm, sessions, agents]) await ctx.plugin(plugin.default)
  await ctx.plugin(loop.default, { agents: [], maxParallelToolCalls: cap })
  ctx.llm.registerAdapter(['stub'], new StubAdapter())
  const output = { schema: OUTPUT, render: (_args, value) => [{ type: 'text', text: String(value) }] }
  ctx.tools.register(
    tools.defineTool({
      name: 'add_one',
      description: DESCRIPTION,
      parameters: PARAMETERS,
      output,
      isConcurrencySafe: () => true,
      execute: SLEEP,
    }),
  )
  let made = 0
  return async () => {
    const { agent, dispose } = await ctx.agents.create({ sessionId: `s${++made}`, agentOptions: { provider: 'stub', model: 'stub' } })
    agent.followup({ content: [{ type: 'text', text: 'go' }] })
    await agent.whenIdle()
    const results = agent.session.events.filter(({ type }) => type === 'tool/result').length
    if (results !== CALLS) throw new Error(`${results} results`)
    await dispose()
  }
}
