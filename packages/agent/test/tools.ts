import { type Agent, createRuntime, type Scope, type ToolBatchResult, type ToolDefinition } from '@dsh/tools'
import { createRecordingLogger } from '@dsh/tools/testing'
import type { Session } from '../src/log/session.ts'

/** A definition whose content is the JSON of its value. */
export function tool(name: string, execute: ToolDefinition['execute'], extra: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: `The tool ${name}.`,
    parameters: { type: 'object' },
    output: { schema: {}, render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
    execute,
    ...extra,
  }
}

export interface SessionRuntime {
  readonly runtime: Scope
  readonly agent: Agent
  /** Run calls of these tools as one step of the session. */
  run(names: readonly string[], signal?: AbortSignal): Promise<ToolBatchResult>
}

/** A runtime with these tools, and an agent that keeps the session. */
export function sessionRuntime(session: Session, ...tools: readonly ToolDefinition[]): SessionRuntime {
  const runtime = createRuntime({ logger: createRecordingLogger() })
  const agent: Agent = { id: 'agent', session }
  runtime.child(agent)
  for (const each of tools) runtime.tools.register(each)
  return {
    runtime,
    agent,
    run: (names, signal = new AbortController().signal) =>
      runtime.tools.execute({
        calls: names.map((name) => ({ type: 'tool-call', name, arguments: '{}' })),
        signal,
        agent,
        log: { turn: session.lastTurn + 1, step: 1 },
      }),
  }
}
