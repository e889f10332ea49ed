import { describe, expect, test } from 'vitest'
import { codeOf, rawTool, testRuntime, textOf } from '../../test/fixtures.ts'
import { defineTool, JsonSchemaError, type ToolArgsError, type ToolRunContext } from '../index.ts'

const add = defineTool({
  name: 'add',
  description: 'Add two numbers.',
  parameters: { a: { type: 'integer', required: true }, b: { type: 'integer' } },
  output: { schema: { type: 'object', properties: { sum: { type: 'integer', required: true } }, additionalProperties: false } },
  async execute({ a, b = 0 }) {
    return { sum: a + b }
  },
  isConcurrencySafe: ({ a }) => a > 0,
  presentCall: ({ a }) => ({ card: 'generic', title: `add ${a.toFixed(0)}` }),
  presentResult: ({ a }, result) => ({ card: 'generic', title: `${a.toFixed(0)} ${result.isError}` }),
})

describe('defineTool', () => {
  test('makes a definition that runs, with its schemas compiled from the DSL', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(add)
    expect(runtime.tools.schemas()[0]?.parameters).toEqual({
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
      required: ['a'],
    })
    const result = await runtime.call('add', { a: 1, b: 2 })
    expect([result.value, textOf(result)]).toEqual([{ sum: 3 }, '{"sum":3}'])
  })

  test('render defaults to the text of a text and the JSON of anything else', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(
      defineTool({ name: 'say', description: '', parameters: {}, output: { schema: { type: 'string' } }, execute: async () => 'plain' }),
    )
    expect(textOf(await runtime.call('say'))).toBe('plain')
  })

  test('validates before anything of the author’s runs, outside the pipeline too', async () => {
    const wrong = { a: 'x' }
    const error = (await add.execute(wrong, {} as ToolRunContext).catch((thrown: unknown) => thrown)) as ToolArgsError
    expect([error.code, error.violations.map((violation) => violation.path)]).toEqual(['INVALID_ARGS', ['$.a']])
    expect(add.isConcurrencySafe?.(wrong)).toBe(false)
    expect(add.isConcurrencySafe?.({ a: 1 })).toBe(true)
    expect(add.presentCall?.(wrong)).toBeUndefined()
    expect(add.presentResult?.(wrong, { content: [], isError: false })).toBeUndefined()
    expect(add.presentCall?.({ a: 1 })).toEqual({ card: 'generic', title: 'add 1' })
  })

  test('a body that returns what the output does not declare is INVALID_TOOL_OUTPUT', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(
      defineTool({
        name: 'bad',
        description: '',
        parameters: {},
        output: { schema: { type: 'integer' } },
        execute: async () => 'x' as never,
      }),
    )
    expect(codeOf(await runtime.call('bad'))).toBe('INVALID_TOOL_OUTPUT')
  })

  test('an error of ToolArgsError’s brand thrown by a body is INVALID_ARGS', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('outer', async (_args, exec) => add.execute({}, exec)))
    expect(codeOf(await runtime.call('outer'))).toBe('INVALID_ARGS')
  })

  test('a malformed schema is refused where the tool is declared', () => {
    const bad = {
      name: 'x',
      description: '',
      parameters: { a: { type: 'text' } },
      output: { schema: { type: 'string' } },
      execute: async () => 'x',
    }
    expect(() => defineTool(bad as never)).toThrow(JsonSchemaError)
  })
})
