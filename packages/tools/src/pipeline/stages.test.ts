import { describe, expect, test } from 'vitest'
import { call, codeOf, live, rawTool, type TestRuntime, testRuntime } from '../../test/fixtures.ts'
import { ToolExecutionPipeline } from '../executor/door.ts'
import type { Agent, PostToolDecision, PreToolDecision, ToolExecutionResult } from '../index.ts'
import { toToolCallId } from '../index.ts'
import { failure } from '../outcome/failures.ts'
import { STAGES, type StageRow } from '../outcome/stages.ts'
import { timeoutPolicy } from '../policies/timeout.ts'

interface Scenario {
  readonly name?: string
  readonly args?: unknown
  readonly body?: (args: unknown, parts: TestRuntime, abort: () => void) => Promise<unknown>
  readonly wrap?: (next: () => Promise<ToolExecutionResult>) => Promise<ToolExecutionResult>
  readonly timeoutMs?: number
  readonly pre?: (abort: () => void) => Promise<PreToolDecision>
  readonly post?: () => Promise<PostToolDecision>
  readonly guard?: (abort: () => void) => string | undefined
  readonly approval?: 'rejected' | 'allowed-once' | 'unavailable' | 'aborts'
  readonly run?: (parts: TestRuntime, agent: Agent) => Promise<ToolExecutionResult>
  readonly startAborted?: boolean
}

const boom = () => {
  throw new Error('boom')
}

const scenarios: Record<string, Scenario> = {
  'arguments that cannot be parsed or materialised': {
    run: async ({ runtime }, agent) => {
      const batch = await runtime.tools.execute({ calls: [call('work', '{"n":')], signal: live, agent })
      return batch.results[0]!.result
    },
  },
  'caller already gone at entry': { startAborted: true },
  'model-direct call of a tool under the code mode': {
    run: ({ runtime }, agent) => {
      const input = { callId: toToolCallId('c'), name: 'work', arguments: { n: 1 }, agent, signal: live }
      return new ToolExecutionPipeline(runtime).execute(input, { refusal: failure('UNKNOWN_TOOL', 'work', 'Call it from a program.') })
    },
  },
  'cancelled by pre-execute': { pre: async () => ({ kind: 'cancel' }) },
  'caller gone during pre-execute': {
    pre: async (abort) => {
      abort()
      return { kind: 'allow' }
    },
  },
  'caller gone during approval': { pre: async () => ({ kind: 'ask' }), approval: 'aborts' },
  'caller gone during guards': { guard: (abort) => void abort() },
  'pre-execute listener failed': { pre: async () => boom() },
  'denied by pre-execute': { pre: async () => ({ kind: 'deny', reason: 'no' }) },
  'denied by approval': { pre: async () => ({ kind: 'ask' }), approval: 'rejected' },
  'nobody can approve': { pre: async () => ({ kind: 'ask' }), approval: 'unavailable' },
  'denied by a guard': { guard: () => 'no' },
  'guard failed': { guard: boom },
  'arguments break the schema': { args: { n: 'one' }, pre: async () => ({ kind: 'ask' }) },
  'unknown or inadmissible tool': { name: 'wrok', pre: async () => ({ kind: 'ask' }) },
  'caller gone after the body began': { body: async (_args, _parts, abort) => abort() },
  'wrapper failed': { wrap: async (next) => next().then(boom) },
  timeout: {
    body: async (_args, parts) => parts.clock.advance(100),
    wrap: async (next) => next(),
    timeoutMs: 100,
  },
  'body failed': { body: async () => boom() },
  'output invalid': { body: async () => 'not a number' },
  success: {},
  'post-execute listener failed': { post: async () => boom() },
}

async function runScenario(scenario: Scenario): Promise<{ readonly seen: string[]; readonly result: ToolExecutionResult }> {
  const seen: string[] = []
  const parts = testRuntime()
  const { runtime } = parts
  runtime.plugin(timeoutPolicy)
  const controller = new AbortController()
  const agent: Agent = { id: 'tester' }
  runtime.child(agent)
  runtime.tools.register(
    rawTool(
      'work',
      async (args) => {
        seen.push('body')
        return scenario.body ? ((await scenario.body(args, parts, () => controller.abort())) ?? 1) : 1
      },
      {
        parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
        output: { schema: { type: 'integer' }, render: (_args, value) => [{ type: 'text', text: String(value) }] },
        projectContent: () => void seen.push('project'),
        finalizeContent: () => void seen.push('finalize'),
        ...(scenario.timeoutMs !== undefined && { timeoutMs: scenario.timeoutMs }),
      },
    ),
  )
  runtime.on('tools/pre-execute', async (_exec, next) => {
    seen.push('pre')
    return scenario.pre ? scenario.pre(() => controller.abort()) : next()
  })
  runtime.provide('approval', {
    async request() {
      seen.push('approval')
      if (scenario.approval === 'aborts') controller.abort()
      const { approval = 'allowed-once' } = scenario
      return { outcome: approval === 'aborts' ? 'allowed-once' : approval }
    },
  })
  runtime.tools.guard(() => {
    seen.push('guard')
    return scenario.guard?.(() => controller.abort())
  })
  runtime.on('tools/execute', async (_exec, next) => {
    seen.push('execute')
    return scenario.wrap ? scenario.wrap(next) : next()
  })
  runtime.on('tools/post-execute', async (_exec, _result, next) => {
    seen.push('post')
    return scenario.post ? scenario.post() : next()
  })
  runtime.on('tools/result', () => void seen.push('result'))
  if (scenario.startAborted) controller.abort()
  const { name = 'work', args = { n: 1 } } = scenario
  const result = scenario.run ? await scenario.run(parts, agent) : await runtime.call(name, args, { agent, signal: controller.signal })
  return { seen, result }
}

function expectStages(row: StageRow, seen: readonly string[]) {
  const has = (stage: string) => seen.includes(stage)
  expect(has('pre')).toBe(row.preExecute !== 'no')
  if (row.approvalAndGuards === 'no') expect(has('approval') || has('guard')).toBe(false)
  if (row.approvalAndGuards === 'yes' || row.approvalAndGuards === 'guards-only' || row.approvalAndGuards === 'failed')
    expect(has('guard')).toBe(true)
  if (row.approvalAndGuards === 'guards-only') expect(has('approval')).toBe(false)
  expect(has('execute')).toBe(row.execute === 'yes' || row.execute === 'around-failure')
  expect(has('body')).toBe(row.execute === 'yes')
  expect(has('post')).toBe(row.review !== 'no')
  const known = row.execute !== 'around-failure'
  expect(has('project')).toBe(row.review !== 'no' && known)
  expect(seen.filter((stage) => stage === 'finalize')).toHaveLength(known ? 1 : 0)
  expect(seen.filter((stage) => stage === 'result')).toHaveLength(1)
}

describe('who runs for which outcome', () => {
  test('every row of the table has a scenario, and every scenario a row', () => {
    expect(STAGES.map((row) => row.outcome).sort()).toEqual(Object.keys(scenarios).sort())
  })

  test.each(STAGES.map((row) => [row.outcome, row] as const))('%s', async (outcome, row) => {
    const { seen, result } = await runScenario(scenarios[outcome]!)
    expect(codeOf(result) ?? null).toBe(row.code)
    expectStages(row, seen)
    expect(result.content.length).toBeGreaterThan(0)
  })

  test('the stages of a success run in the documented order', async () => {
    const { seen } = await runScenario({ pre: async () => ({ kind: 'ask' }) })
    expect(seen).toEqual(['pre', 'approval', 'guard', 'execute', 'body', 'project', 'post', 'finalize', 'result'])
  })
})
