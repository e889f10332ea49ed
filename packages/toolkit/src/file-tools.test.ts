import { getEventListeners } from 'node:events'
import { createRuntime } from '@dsh/tools'
import { expect, test } from 'vitest'
import { tempFolder } from '../test/temp-folder.ts'
import { fileTools } from './index.ts'

test('the plugin registers its tools, and takes them away with it', async () => {
  const root = await tempFolder({ 'a.txt': 'hello\n' })
  const runtime = createRuntime()
  const mounted = runtime.plugin(fileTools, { root })
  await mounted
  expect(runtime.tools.schemas().map((schema) => schema.name)).toEqual(['read', 'glob', 'grep', 'write', 'edit'])
  expect(await runtime.call('grep', { pattern: 'hello' })).toMatchObject({ isError: false, value: { total: 1 } })
  await mounted.dispose()
  expect(runtime.tools.schemas()).toEqual([])
})

test('readOnly leaves out what changes files', async () => {
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root: await tempFolder(), readOnly: true })
  expect(runtime.tools.schemas().map((schema) => schema.name)).toEqual(['read', 'glob', 'grep'])
})

test('a configuration that cannot work fails the mount, and nothing is registered', async () => {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  const runtime = createRuntime({ logger: quiet })
  await expect(runtime.plugin(fileTools, { root: 'relative' })).rejects.toThrow('root must be absolute')
  expect(runtime.tools.schemas()).toEqual([])
})

test('what only looks has no effects; searches overlap with everything, a read with all but a write of its file', async () => {
  const root = await tempFolder()
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root })
  for (const name of ['read', 'glob', 'grep']) expect(runtime.tools.get(name)?.effects).toBe('none')
  const modeOf = (name: string, args: object) => runtime.tools.executionMode({ name, arguments: args })
  for (const name of ['glob', 'grep']) expect(modeOf(name, { pattern: 'a' })).toEqual({ kind: 'parallel' })
  expect(modeOf('read', { path: 'a' })).toEqual({ kind: 'keyed', reads: [`file:${root}/a`], writes: [] })
})

test('a failure reaches the model as one text, with its code for the host', async () => {
  const root = await tempFolder({ 'src/index.ts': '' })
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root })
  const result = await runtime.call('read', { path: 'src/indx.ts' })
  expect(result).toMatchObject({ isError: true, error: { info: { name: 'ToolError', code: 'FILE_NOT_FOUND' } } })
  expect(result.content).toEqual([{ type: 'text', text: `Error: There is no src/indx.ts in ${root}. Did you mean src/index.ts?` }])
})

test('many calls at once on one signal come to their results and leave no listener', async () => {
  const root = await tempFolder({ 'a.txt': 'hello\n' })
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root })
  const { signal } = new AbortController()
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, n) => runtime.call(n % 2 ? 'glob' : 'grep', { pattern: n % 2 ? '*' : 'l+' }, { signal })),
  )
  expect(results.every((result) => !result.isError)).toBe(true)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
