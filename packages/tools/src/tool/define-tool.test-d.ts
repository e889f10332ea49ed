import { expectTypeOf, test } from 'vitest'
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
