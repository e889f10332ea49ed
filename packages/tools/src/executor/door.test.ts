import { describe, expect, test } from 'vitest'
import { codeOf, rawTool, testRuntime, textOf } from '../../test/fixtures.ts'
import { type Agent, type ContentBlock, type ToolDefinition, type ToolExecution, toToolCallId } from '../index.ts'
import { createLatch } from '../testing/door.ts'
import { ToolExecutionPipeline, waterfall } from './door.ts'

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const live = new AbortController().signal

describe('the shared pipeline', () => {
  test('runs a definition that is handed to it and not registered, with every policy applied', async () => {
    const { runtime } = testRuntime()
    const pipeline = new ToolExecutionPipeline(runtime)
    const transport: ToolDefinition = { ...rawTool('x', async (args) => args), name: 'run_code' }
    const input = { callId: toToolCallId('c'), name: 'run_code', arguments: { code: '1' }, signal: live }
    expect((await pipeline.execute(input, { definition: transport })).value).toEqual({ code: '1' })
    expect(codeOf(await pipeline.execute(input))).toBe('UNKNOWN_TOOL')
    runtime.tools.guard((exec) => (exec.name === 'run_code' ? 'no programs' : undefined))
    expect(codeOf(await pipeline.execute(input, { definition: transport }))).toBe('GUARD_DENIED')
  })

  test('a nested call carries root id, parent token and schema, and the abort of the outer call reaches it', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    runtime.child(agent)
    const pipeline = new ToolExecutionPipeline(runtime)
    const controller = new AbortController()
    const begun = createLatch()
    const seen: ToolExecution[] = []
    const inner = rawTool('inner', async (_args, exec) => {
      seen.push(exec)
      begun.open()
      await new Promise<void>((resolve) => exec.signal.addEventListener('abort', () => resolve()))
      return 1
    })
    runtime.tools.register(inner)
    runtime.tools.register(
      rawTool('outer', async (_args, exec) => {
        seen.push(exec)
        const schema = Object.freeze({ name: 'inner', description: '', parameters: inner.parameters })
        const sub = {
          callId: toToolCallId(`${exec.callId}:ptc:1`),
          rootCallId: exec.rootCallId,
          parent: exec.token,
          agent,
          schema,
          signal: exec.signal,
        }
        const result = await pipeline.execute({ ...sub, name: 'inner', arguments: {} })
        return codeOf(result)
      }),
    )
    const result = runtime.call('outer', {}, { agent, signal: controller.signal })
    await begun.opened
    controller.abort()
    expect(codeOf(await result)).toBe('ABORTED')
    const [outer, nested] = seen as [ToolExecution, ToolExecution]
    expect([nested.rootCallId, nested.parent, nested.schema?.name]).toEqual([outer.callId, outer.token, 'inner'])
    expect(Object.isFrozen(outer)).toBe(true)
  })

  test('is found behind a tools service only', () => {
    expect(() => new ToolExecutionPipeline({ tools: {} as never })).toThrow(/not the tools service/)
  })
})

describe('waterfall', () => {
  const dispatch = (exec: ToolExecution, agent?: Agent) => ({
    exec,
    subCallId: toToolCallId('s'),
    name: 't',
    isError: false,
    content: [text('whole')],
    ...(agent && { agent }),
  })

  test('dispatches an event to the listeners of a scope and those above, in order, around the innermost next', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    const pipeline = new ToolExecutionPipeline(runtime)
    runtime.on('tools/ptc-dispatch-log', async (_dispatch, next) => [...(await next()), text('root')])
    child.on('tools/ptc-dispatch-log', async function (_dispatch, next) {
      return [...(await next()), text(`child ${this.scope === agent}`)]
    })
    const log = dispatch({} as ToolExecution, agent)
    const logged = await waterfall(pipeline.scopeOf(agent), 'tools/ptc-dispatch-log', log, async () => log.content)
    expect(logged).toEqual([text('whole'), text('child true'), text('root')])
    expect(await waterfall(pipeline.scopeOf(undefined), 'tools/ptc-dispatch-log', log, () => log.content)).toEqual([
      text('whole'),
      text('root'),
    ])
  })

  test('rejects when a listener breaks, naming it, and without an innermost next', async () => {
    const { runtime } = testRuntime()
    const scope = new ToolExecutionPipeline(runtime).scopeOf(undefined)
    runtime.on('tools/ptc-dispatch-log', async function spill() {
      throw new Error('disk full')
    })
    await expect(waterfall(scope, 'tools/ptc-dispatch-log', {}, () => [])).rejects.toThrow(/spill.*disk full/)
    await expect(waterfall(scope, 'tools/ptc-dispatch-log', 'no function' as never)).rejects.toThrow(/innermost next/)
  })
})

test('a result that could not be rendered still says what to do next', async () => {
  const { runtime } = testRuntime()
  runtime.tools.register(rawTool('t', async () => 1, { output: { schema: {}, render: () => undefined as never } }))
  expect(textOf(await runtime.call('t'))).toMatch(/render.*repeating it will not help/)
})
