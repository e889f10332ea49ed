import { createRuntime, type Scope, type ToolDefinition } from '@dsh/tools'
import { createFakeClock, createRecordingLogger, type FakeClock } from '@dsh/tools/testing'
import { createMemoryStore } from '../src/log/memory-store.ts'
import { openSession } from '../src/log/open-session.ts'
import type { Session } from '../src/log/session.ts'
import type { SessionStore } from '../src/log/store.ts'
import type { AgentLoop, AgentOptions } from '../src/loop/agent-loop.ts'
import { createAgent } from '../src/loop/create-agent.ts'
import type { Script, ScriptedModel } from './scripted-model.ts'
import { scriptedModel } from './scripted-model.ts'

export interface TestAgent {
  readonly agent: AgentLoop
  readonly model: ScriptedModel
  readonly runtime: Scope
  readonly session: Session
  readonly store: SessionStore
  readonly clock: FakeClock
  /** The log in short: type and data of each event. */
  log(): readonly (readonly [type: string, data: unknown])[]
  types(): readonly string[]
}

export interface TestAgentOptions extends Partial<Omit<AgentOptions, 'model'>> {
  readonly tools?: readonly ToolDefinition[]
  readonly scripts: readonly Script[]
  readonly store?: SessionStore
}

/** An agent over a memory store, with a model that says what the test wrote and a clock that the test moves. */
export async function testAgent({ tools = [], scripts, store = createMemoryStore(), ...options }: TestAgentOptions): Promise<TestAgent> {
  const clock = createFakeClock()
  const runtime = options.runtime ?? createRuntime({ logger: createRecordingLogger(), clock })
  for (const tool of tools) runtime.tools.register(tool)
  const session = options.session ?? (await openSession(store, 's', { create: true }))
  const model = scriptedModel(...scripts)
  const agent = createAgent({ clock, ...options, runtime, session, model })
  return {
    agent,
    model,
    runtime,
    session,
    store,
    clock,
    log: () => session.events.map(({ type, data }) => [type, data] as const),
    types: () => session.events.map(({ type }) => type),
  }
}
