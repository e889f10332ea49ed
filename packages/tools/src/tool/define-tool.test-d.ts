import { expectTypeOf, test } from 'vitest'
import type { JsonValue } from '../contract/json.ts'
import type { ParameterSchemaSpec, ValueSchemaSpec } from '../schema/nodes.ts'
import { defineTool } from './define-tool.ts'

test('arguments and value are typed by the schemas', () => {
  defineTool({
    name: 't',
    description: '',
    parameters: { mode: { type: 'string', enum: ['fast', 'deep'], required: true }, tags: { type: 'array', items: { type: 'string' } } },
    output: {
      schema: { type: 'object', properties: { n: { type: 'integer', required: true } }, additionalProperties: false },
      render(args, value) {
        expectTypeOf(args.mode).toEqualTypeOf<'fast' | 'deep'>()
        expectTypeOf(value.n).toEqualTypeOf<number>()
        return []
      },
    },
    async execute(args) {
      expectTypeOf(args.tags).toEqualTypeOf<readonly string[] | undefined>()
      return { n: 1 }
    },
  })
})

test('everything the author writes sees the same types', () => {
  defineTool({
    name: 't',
    description: '',
    parameters: {
      target: {
        type: 'object',
        required: true,
        properties: { id: { oneOf: [{ type: 'integer' }, { type: 'null' }], required: true } },
        additionalProperties: false,
      },
      level: { type: 'integer', enum: [1, 2, 3], default: 1 },
    },
    output: {
      schema: { type: 'array', items: { type: 'string', const: 'ok' } },
      presentationMeta(args, value) {
        expectTypeOf(args.target.id).toEqualTypeOf<number | null>()
        expectTypeOf(value).toEqualTypeOf<readonly 'ok'[]>()
        return value
      },
    },
    execute: async (args, exec) => {
      expectTypeOf(args.level).toEqualTypeOf<1 | 2 | 3 | undefined>()
      expectTypeOf(exec.signal).toEqualTypeOf<AbortSignal>()
      return ['ok']
    },
    isConcurrencySafe: (args) => args.level === 1,
    presentCall: (args) => ({ card: 'generic', title: String(args.target.id) }),
    presentResult: (args, result) => (result.isError ? undefined : { card: 'generic', title: String(args.level) }),
  })
})

test('a spec known only at run time gives JSON', () => {
  const parameters = {} as ParameterSchemaSpec
  const schema = {} as ValueSchemaSpec
  defineTool({
    name: 't',
    description: '',
    parameters,
    output: { schema },
    async execute(args) {
      const value: JsonValue | undefined = args['anything']
      return value ?? null
    },
  })
})

test('mistakes are found where they are written', () => {
  const rest = { name: 't', description: '', output: { schema: { type: 'null' } }, execute: async () => null } as const
  // @ts-expect-error there is no such type
  defineTool({ ...rest, parameters: { a: { type: 'text' } } })
  // @ts-expect-error an enum must match the type of its node
  defineTool({ ...rest, parameters: { a: { type: 'integer', enum: ['1'] } } })
  // @ts-expect-error an object must say whether it is open
  defineTool({ ...rest, parameters: { a: { type: 'object' } } })
  // @ts-expect-error a closed object has no such property
  defineTool({ ...rest, parameters: {}, isConcurrencySafe: (args) => args.other })
})

test('a body may return literals, and variables of wider arrays, as they are', () => {
  const row = {
    type: 'object',
    properties: { kind: { type: 'string', enum: ['file', 'dir'], required: true }, size: { type: 'integer' } },
    additionalProperties: false,
  } as const
  const rest = { name: 't', description: '', parameters: { deep: { type: 'boolean' } } } as const
  defineTool({ ...rest, output: { schema: row }, execute: async (args) => (args.deep ? { kind: 'dir' } : { kind: 'file', size: 1 }) })
  interface Row {
    kind: 'file' | 'dir'
    size?: number
  }
  const rows: Row[] = []
  defineTool({ ...rest, output: { schema: { type: 'array', items: row } }, execute: async () => rows })
  // @ts-expect-error no such kind
  defineTool({ ...rest, output: { schema: row }, execute: async () => ({ kind: 'fil' }) })
  // @ts-expect-error a required property is missing
  defineTool({ ...rest, output: { schema: row }, execute: async () => ({ size: 1 }) })
})

test('a body that returns another value does not compile', () => {
  defineTool({
    name: 't',
    description: '',
    parameters: {},
    output: { schema: { type: 'integer' } },
    // @ts-expect-error the output schema says integer
    execute: async () => 'text',
  })
})
