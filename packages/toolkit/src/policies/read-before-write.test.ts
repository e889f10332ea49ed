import { link, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRuntime, defineTool, type Scope } from '@dsh/tools'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/temp-folder.ts'
import { fileTools, readBeforeWrite } from '../index.ts'

const EDIT = { path: 'a', edits: [{ oldText: 'one', newText: 'two' }] }
const NOT_READ = { isError: true, error: { info: { code: 'FILE_NOT_READ' } } }

async function workspace(files: Readonly<Record<string, string>> = { a: 'one' }): Promise<{ runtime: Scope; root: string }> {
  const root = await tempFolder(files)
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root })
  await runtime.plugin(readBeforeWrite)
  return { runtime, root }
}

test.each([
  ['edit', EDIT],
  ['write', { path: 'a', content: 'two' }],
])('%s of a file that was not read is refused before its body, and passes once it was', async (name, args) => {
  const { runtime, root } = await workspace()
  const result = await runtime.call(name, args)
  expect(result).toMatchObject(NOT_READ)
  const message = `Error: You have not read ${join(root, 'a')}. Read it first, then send the change anew. Nothing was written.`
  expect(result.content).toEqual([{ type: 'text', text: message }])
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('one')
  await runtime.call('read', { path: 'a' })
  expect(await runtime.call(name, args)).toMatchObject({ isError: false })
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('two')
})

test('a new file needs no reading, and who wrote a file knows it', async () => {
  const { runtime, root } = await workspace({})
  expect(await runtime.call('write', { path: 'a', content: 'one' })).toMatchObject({ isError: false })
  expect(await runtime.call('edit', EDIT)).toMatchObject({ isError: false })
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('two')
})

test('a file is one file under all its names', async () => {
  const { runtime, root } = await workspace()
  await symlink('a', join(root, 'link'))
  await runtime.call('read', { path: 'link' })
  expect(await runtime.call('edit', EDIT)).toMatchObject({ isError: false })
})

test('what one agent has read another has not', async () => {
  const { runtime } = await workspace()
  const [reader, other] = [{ id: 'agent' }, { id: 'agent' }]
  await runtime.call('read', { path: 'a' }, { agent: reader })
  expect(await runtime.call('edit', EDIT, { agent: other })).toMatchObject(NOT_READ)
  expect(await runtime.call('edit', EDIT)).toMatchObject(NOT_READ)
  expect(await runtime.call('edit', EDIT, { agent: reader })).toMatchObject({ isError: false })
})

test('a file may be read and changed in one batch', async () => {
  const { runtime, root } = await workspace()
  const call = (name: string, args: object) => ({ type: 'tool-call', name, arguments: JSON.stringify(args) }) as const
  const calls = [call('read', { path: 'a' }), call('edit', EDIT)]
  const { results } = await runtime.tools.execute({ calls, signal: new AbortController().signal })
  expect(results.map(({ result }) => result.isError)).toEqual([false, false])
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('two')
})

test('a file that has changed since it was read is refused by the tool itself', async () => {
  const { runtime, root } = await workspace()
  await runtime.call('read', { path: 'a' })
  await writeFile(join(root, 'a'), 'one, theirs')
  expect(await runtime.call('edit', EDIT)).toMatchObject({ error: { info: { code: 'FILE_CHANGED' } } })
})

test('other tools are held to the file keys they write, and to no others', async () => {
  const { runtime, root } = await workspace()
  runtime.tools.register(
    defineTool({
      name: 'move',
      description: 'Says what it would move.',
      parameters: { from: { type: 'string', required: true }, key: { type: 'string', required: true } },
      output: { schema: { type: 'boolean' }, render: () => [{ type: 'text', text: 'ran' }] },
      access: ({ from, key }) => ({ reads: [`file:${from}`], writes: [key] }),
      execute: async () => true,
    }),
  )
  const move = (key: string) => runtime.call('move', { from: join(root, 'a'), key })
  expect(await move(`file:${join(root, 'a')}`)).toMatchObject(NOT_READ)
  expect(await move(`file:${join(root, 'b')}`)).toMatchObject({ isError: false })
  expect(await move('table:a')).toMatchObject({ isError: false })
})

test('a read that failed or was cancelled counts for nothing; one of a part of the file counts', async () => {
  const { runtime, root } = await workspace({ a: 'one\ntwo\nthree' })
  await runtime.call('read', { path: 'a', offset: 0 })
  await runtime.call('read', { path: 'a', offset: 2, limit: 0 })
  const controller = new AbortController()
  const cancelled = runtime.call('read', { path: 'a' }, { signal: controller.signal })
  controller.abort(new Error('enough'))
  expect(await cancelled).toMatchObject({ isError: true })
  expect(await runtime.call('edit', EDIT)).toMatchObject(NOT_READ)
  await runtime.call('read', { path: 'a', offset: 2, limit: 1 })
  expect(await runtime.call('edit', EDIT)).toMatchObject({ isError: false })
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('two\ntwo\nthree')
})

test('a file that was removed and made again by somebody else has to be read again; one that is gone may be made', async () => {
  const { runtime, root } = await workspace()
  await runtime.call('read', { path: 'a' })
  await rm(join(root, 'a'))
  await writeFile(join(root, 'a'), 'theirs')
  expect(await runtime.call('write', { path: 'a', content: 'x' })).toMatchObject({ error: { info: { code: 'FILE_CHANGED' } } })
  await rm(join(root, 'a'))
  expect(await runtime.call('write', { path: 'a', content: 'x' })).toMatchObject({ isError: false })
})

test('a hard link is another file: to have read one name says nothing of the other', async () => {
  const { runtime, root } = await workspace()
  await link(join(root, 'a'), join(root, 'b'))
  await runtime.call('read', { path: 'a' })
  expect(await runtime.call('write', { path: 'b', content: 'x' })).toMatchObject(NOT_READ)
})
