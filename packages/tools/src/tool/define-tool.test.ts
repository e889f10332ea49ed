import { describe, expect, test, vi } from 'vitest'
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
  isConcurrencySafe: ({ a }) => a !== 0,
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

  test('a body that throws at once rejects, and one that answers no promise is awaited', async () => {
    const fields = { name: 't', description: '', parameters: {}, output: { schema: { type: 'integer' } } } as const
    const thrower = defineTool({
      ...fields,
      execute: () => {
        throw new Error('at once')
      },
    })
    const plain = defineTool({ ...fields, execute: (() => 1) as never })
    await expect(thrower.execute({}, {} as ToolRunContext)).rejects.toThrow('at once')
    expect(await plain.execute({}, {} as ToolRunContext).then((value) => value)).toBe(1)
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

  test('the problems of both schemas are reported together', () => {
    const bad = {
      name: 'x',
      description: '',
      parameters: { a: { type: 'text' } },
      output: { schema: { type: 'object' } },
      execute: async () => 'x',
    }
    try {
      defineTool(bad as never)
      expect.unreachable()
    } catch (error) {
      expect((error as JsonSchemaError).issues.map((issue) => issue.path)).toEqual(['parameters.a.type', 'output.schema'])
    }
  })

  test('arguments that the pipeline validated are not validated again', async () => {
    const { runtime } = testRuntime()
    const seen = vi.fn(async ({ a }: { readonly a: string }) => a)
    const tool = defineTool({
      name: 'echo',
      description: '',
      parameters: { a: { type: 'string', required: true } },
      output: { schema: { type: 'string' } },
      execute: seen,
      isConcurrencySafe: () => true,
      presentCall: () => ({ card: 'generic', title: 'echo' }),
    })
    runtime.tools.register(tool)
    await runtime.call('echo', { a: 'x' })
    const [args] = seen.mock.calls[0] as [{ a: string }]
    const look = vi.spyOn(Object, 'hasOwn')
    tool.isConcurrencySafe?.(args)
    tool.presentCall?.(args)
    await tool.execute(args, {} as ToolRunContext)
    expect(look.mock.calls.some(([object]) => object === args)).toBe(false)
  })

  test("undefinedProperties: 'omit' drops what is undefined before the check; by default it is refused, naming the path", async () => {
    const make = (name: string, undefinedProperties?: 'omit' | 'refuse') =>
      defineTool({
        name,
        description: '',
        parameters: {},
        output: {
          schema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
          ...(undefinedProperties && { undefinedProperties }),
        },
        execute: async () => ({ a: undefined }) as never,
      })
    const { runtime } = testRuntime()
    for (const tool of [make('omit', 'omit'), make('refuse', 'refuse'), make('silent')]) runtime.tools.register(tool)
    expect((await runtime.call('omit')).value).toEqual({})
    for (const name of ['refuse', 'silent']) {
      const result = await runtime.call(name)
      expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT')
      expect(textOf(result)).toContain('$.a is undefined')
    }
  })

  test('what the author leaves out, the definition leaves out; what is given is passed on', async () => {
    const bare = defineTool({ name: 'b', description: '', parameters: {}, output: { schema: { type: 'json' } }, execute: async () => null })
    expect(Object.keys(bare).sort()).toEqual(['description', 'execute', 'name', 'output', 'parameters'])
    const finalizeContent = () => undefined
    const full = defineTool({
      name: 'f',
      description: 'full',
      parameters: { n: { type: 'integer' } },
      output: {
        schema: { type: 'array', items: { type: 'integer' } },
        undefinedProperties: 'omit',
        render: ({ n = 0 }, value) => [{ type: 'text', text: `${n} of ${value.length}` }],
        presentationMeta: ({ n = 0 }, value) => ({ n, count: value.length }),
      },
      execute: async ({ n = 0 }) => [n],
      timeoutMs: 5,
      effects: 'idempotent',
      finalizeContent,
      projectContent: finalizeContent,
    })
    expect(full).toMatchObject({
      name: 'f',
      description: 'full',
      timeoutMs: 5,
      effects: 'idempotent',
      finalizeContent,
      projectContent: finalizeContent,
    })
    expect(full.output.undefinedProperties).toBe('omit')
    expect(full.output.render({ n: 2 }, [1, 2, 3])).toEqual([{ type: 'text', text: '2 of 3' }])
    expect(full.output.presentationMeta?.({ n: 2 }, [1])).toEqual({ n: 2, count: 1 })
  })

  test('a tool may be an object whose methods use this', async () => {
    const tool = {
      name: 'counter',
      description: '',
      parameters: {},
      output: { schema: { type: 'integer' } },
      count: 41,
      async execute(this: { count: number }) {
        return ++this.count
      },
    } as const
    expect(await defineTool(tool as never).execute({}, {} as ToolRunContext)).toBe(42)
  })
})
