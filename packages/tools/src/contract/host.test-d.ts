import { expectTypeOf, test } from 'vitest'
import { createRuntime, type Host, type JsonValue, type Plugin, type Scope, type ToolExecutionResult } from '../index.ts'

const runtime: Scope = createRuntime()
const plain: Plugin = { name: 'plain', apply: () => undefined }
const configured: Plugin<{ readonly n: number }> = { apply: (_host, config) => void config.n }

test('a plugin without configuration mounts without one, one with it needs it', () => {
  runtime.plugin(plain)
  runtime.plugin(configured, { n: 1 })
  // @ts-expect-error its configuration is missing
  runtime.plugin(configured)
  // @ts-expect-error its configuration is of another shape
  runtime.plugin(configured, { n: 'one' })
})

test('literals and functions mount', () => {
  runtime.plugin({ name: 'literal', inject: ['tools'], apply: (host: Host) => void host.tools.get('x') })
  runtime.plugin((host: Host, config: { readonly a: string }) => void host.get('logger')?.info(config.a), { a: 'x' })
  // @ts-expect-error neither a function nor an object with apply
  runtime.plugin({ name: 'nothing' })
})

test('listeners are typed by their event, `this` by the scope it was dispatched for', () => {
  runtime.on('tools/execute', async function (exec, next) {
    expectTypeOf(this.scope).toEqualTypeOf<object | undefined>()
    expectTypeOf(exec.signal).toEqualTypeOf<AbortSignal>()
    return next()
  })
  // @ts-expect-error a decision must be one of the four
  runtime.on('tools/pre-execute', async () => ({ kind: 'maybe' }))
})

test('what is logged of a result is JSON', () => {
  const result = {} as ToolExecutionResult
  expectTypeOf<{ readonly content: typeof result.content; readonly error: NonNullable<typeof result.error> }>().toExtend<JsonValue>()
})
