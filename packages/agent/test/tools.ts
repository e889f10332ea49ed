import { type Agent, createRuntime, type Scope, type ToolBatchResult, type ToolDefinition } from '@dsh/tools'
import { createRecordingLogger } from '@dsh/tools/testing'
import type { Session } from '../src/log/session.ts'

export { createTestTool as tool } from '@dsh/tools/testing'

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
