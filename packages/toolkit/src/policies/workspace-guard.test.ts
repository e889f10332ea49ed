import { link, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createRuntime, defineTool } from '@dsh/tools'
import { createRecordingLogger } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/temp-folder.ts'
import { workspaceGuard } from '../index.ts'

/** Call a tool that says it writes (or reads) the path it is given; whether its body ran is its value. */
async function call(roots: readonly string[], path: string, kind: 'reads' | 'writes' = 'writes') {
  const runtime = createRuntime({ logger: createRecordingLogger() })
  await runtime.plugin(workspaceGuard, { roots })
  runtime.tools.register(
    defineTool({
      name: 'touch',
      description: 'Says what it would touch.',
      parameters: { path: { type: 'string', required: true } },
      output: { schema: { type: 'boolean' }, render: () => [{ type: 'text', text: 'ran' }] },
      access: (args) => ({ [kind]: [`file:${args.path}`] }),
      execute: async () => true,
    }),
  )
  const result = await runtime.call('touch', { path })
  return result.isError ? { code: result.error.info?.code, message: result.error.message } : 'ran'
}

const denied = { code: 'GUARD_DENIED', message: expect.stringContaining('OUTSIDE_WORKSPACE') }

test('a path below one of the roots may be reached, also one that does not exist yet', async () => {
  const [one, two] = [await tempFolder({ a: '' }), await tempFolder()]
  expect(await call([one, two], join(one, 'a'))).toBe('ran')
  expect(await call([one, two], join(two, 'new/folder/b'))).toBe('ran')
})

test.each(['reads', 'writes'] as const)('what a call %s outside the roots is denied before its body', async (kind) => {
  const [root, other] = [await tempFolder(), await tempFolder({ a: '' })]
  expect(await call([root], join(other, 'a'), kind)).toEqual(denied)
  expect(await call([root], `${root}-beside`, kind)).toEqual(denied)
})

test('a way out by ".." or through a link is denied, also for a file that does not exist yet', async () => {
  const [root, other] = [await tempFolder({ 'in/a': '' }), await tempFolder({ a: '' })]
  await symlink(other, join(root, 'way'))
  expect(await call([root], `${root}/in/../../x`)).toEqual(denied)
  expect(await call([root], join(root, 'way/a'))).toEqual(denied)
  expect(await call([root], `${root}/way/../x`)).toEqual(denied)
  expect(await call([root], join(root, 'way/new/b'))).toEqual(denied)
})

test('a root may itself be reached through a link, and a link that stays inside is fine', async () => {
  const [root, other] = [await tempFolder({ 'in/a': '' }), await tempFolder()]
  await symlink(root, join(other, 'root'))
  await symlink(join(root, 'in'), join(root, 'also'))
  expect(await call([join(other, 'root')], join(root, 'also/a'))).toBe('ran')
})

test('a link to nothing cannot be used to make a file outside', async () => {
  const [root, other] = [await tempFolder(), await tempFolder()]
  await symlink(join(other, 'new'), join(root, 'dangling'))
  expect(await call([root], join(root, 'dangling'))).toEqual(denied)
})

test('a link to nothing that climbs out behind another link cannot be used either', async () => {
  const [root, other] = [await tempFolder(), await tempFolder({ 'deep/a': '' })]
  await symlink(join(other, 'deep'), join(root, 'way'))
  await symlink('way/../new', join(root, 'dangling')) // by name it is root/new; the system makes other/new
  expect(await call([root], join(root, 'dangling'))).toEqual(denied)
})

test.each([
  ['itself', 'loop'],
  ['itself, by way of a folder that does not exist', 'missing/../loop'],
  ['a link that leads back', 'back'],
])('a link to %s leads nowhere, and nothing passes', async (_name, target) => {
  const root = await tempFolder()
  await symlink(target, join(root, 'loop'))
  if (target === 'back') await symlink('loop', join(root, 'back'))
  expect(await call([root], join(root, 'loop'))).toMatchObject({ message: expect.not.stringContaining('Maximum call stack') })
})

test.each([
  ['a NUL', (root: string) => `${root}/a\0b`],
  ['a path longer than the system allows', (root: string) => `${root}/${'x'.repeat(5_000)}`],
  ['a path of very many names', (root: string) => `${root}/${'x/'.repeat(100_000)}`],
  ['the root of all files by way of the process', () => '/proc/self/root/etc/passwd'],
  ['a backslash that means nothing here', (root: string) => `${root}\\..\\a`],
])('%s does not pass', async (_name, path) => {
  const root = await tempFolder()
  expect(await call([root], path(root))).not.toBe('ran')
})

test('a hard link inside is a file of the workspace: nothing tells it from others', async () => {
  const [root, other] = [await tempFolder(), await tempFolder({ a: '' })]
  await link(join(other, 'a'), join(root, 'a'))
  expect(await call([root], join(root, 'a'))).toBe('ran')
})

test.each([[[]], [['relative']], [['/no/such/folder']]])('roots %j are refused at the mount', async (roots) => {
  const runtime = createRuntime()
  await expect(runtime.plugin(workspaceGuard, { roots })).rejects.toThrow('roots')
})
