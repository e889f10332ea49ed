import { mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/temp-folder.ts'
import { locate } from './locate.ts'

test('a path is taken relative to the root or absolute, and reported relative with forward slashes', async () => {
  const root = await tempFolder({ 'src/a.ts': 'a' })
  for (const asked of ['src/a.ts', './src/../src//a.ts', join(root, 'src/a.ts')]) {
    expect(await locate(root, asked)).toMatchObject({ path: 'src/a.ts', real: join(root, 'src/a.ts') })
  }
  expect(await locate(root, root)).toMatchObject({ path: '.' })
})

test.each(['😀.txt', '中文 名.md', 'line\nbreak', '-rf', ' blanks ', '[x]*?.ts'])('the name %j is an ordinary name', async (name) => {
  const root = await tempFolder({ [name]: 'x' })
  expect(await locate(root, name)).toMatchObject({ path: name })
})

test.each(['../other', '/etc/passwd', 'src/../../other', '/does/not/exist'])('%s, outside the root, is refused', async (asked) => {
  const root = await tempFolder({ 'src/a.ts': '' })
  await expect(locate(root, asked)).rejects.toMatchObject({ code: 'OUTSIDE_WORKSPACE', message: expect.stringContaining(root) })
})

test('a sibling folder whose name begins like the root is outside', async () => {
  const parent = await tempFolder({ 'work/a': '', 'work-secret/b': '' })
  await expect(locate(join(parent, 'work'), '../work-secret/b')).rejects.toMatchObject({ code: 'OUTSIDE_WORKSPACE' })
})

test('a name that begins with two dots is inside', async () => {
  const root = await tempFolder({ '..hidden/a': '' })
  expect(await locate(root, '..hidden/a')).toMatchObject({ path: '..hidden/a' })
})

test('a symbolic link out of the root is refused, be it the file, a folder on the way, or a chain', async () => {
  const outside = await tempFolder({ 'secret.txt': 'secret' })
  const root = await tempFolder({ 'a.txt': '' })
  await symlink(join(outside, 'secret.txt'), join(root, 'file'))
  await symlink(outside, join(root, 'folder'))
  await symlink('folder', join(root, 'chain'))
  for (const asked of ['file', 'folder/secret.txt', 'chain/secret.txt', 'folder', 'folder/nothing.txt']) {
    await expect(locate(root, asked)).rejects.toMatchObject({
      code: 'OUTSIDE_WORKSPACE',
      message: expect.stringContaining('symbolic link'),
    })
  }
})

test('a symbolic link that stays inside is followed, and reported by the name that was asked for', async () => {
  const root = await tempFolder({ 'deep/a.txt': '' })
  await symlink('deep', join(root, 'short'))
  expect(await locate(root, 'short/a.txt')).toMatchObject({ path: 'short/a.txt', real: join(root, 'deep/a.txt') })
})

test('a root that is itself a symbolic link works, by either of its names', async () => {
  const real = await tempFolder({ 'a.txt': '' })
  const folder = await tempFolder()
  const root = join(folder, 'alias')
  await symlink(real, root)
  for (const asked of ['a.txt', join(root, 'a.txt'), join(real, 'a.txt')]) {
    expect(await locate(root, asked)).toMatchObject({ path: 'a.txt', real: join(real, 'a.txt') })
  }
})

test('another spelling of a place inside the root is accepted', async () => {
  const real = await tempFolder({ 'a.txt': '' })
  const folder = await tempFolder()
  await symlink(real, join(folder, 'alias'))
  expect(await locate(real, join(folder, 'alias/a.txt'))).toMatchObject({ path: 'a.txt' })
})

test('a missing file names the path, the root and the nearest names', async () => {
  const root = await tempFolder({ 'src/index.ts': '', 'src/main.ts': '' })
  const message = `There is no src/indx.ts in ${root}. Did you mean src/index.ts?`
  await expect(locate(root, 'src/indx.ts')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND', message })
})

test('a missing folder on the way is where the hint begins', async () => {
  const root = await tempFolder({ 'packages/a.ts': '' })
  await expect(locate(root, 'package/deep/a.ts')).rejects.toThrow('Did you mean packages?')
})

test('without a near name, the hint says what the folder holds', async () => {
  const root = await tempFolder({ 'src/alpha.ts': '', 'src/beta.ts': '' })
  await expect(locate(root, 'src/zzzzzzzz')).rejects.toThrow('The folder src holds alpha.ts, beta.ts. Use glob to find it.')
  await mkdir(join(root, 'empty'))
  await expect(locate(root, 'empty/x')).rejects.toThrow('The folder empty is empty. Use glob to find it.')
})

test('a long listing is cut and says how many names it left out', async () => {
  const root = await tempFolder(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`file${n}`, ''])))
  await expect(locate(root, 'zzzzzzzz')).rejects.toThrow('file0, file1, file2, file3, file4 and 4 more.')
})

test('a file used as a folder is named', async () => {
  const root = await tempFolder({ 'a.txt': '' })
  await expect(locate(root, 'a.txt/b')).rejects.toMatchObject({
    code: 'FILE_NOT_FOUND',
    message: expect.stringContaining('a.txt is a file, not a folder.'),
  })
})

test('links that lead nowhere or in a circle are missing files', async () => {
  const root = await tempFolder()
  await symlink('nowhere', join(root, 'dangling'))
  await symlink('loop', join(root, 'loop'))
  await expect(locate(root, 'dangling')).rejects.toMatchObject({
    code: 'FILE_NOT_FOUND',
    message: expect.stringContaining('does not exist'),
  })
  await expect(locate(root, 'loop')).rejects.toMatchObject({
    code: 'FILE_NOT_FOUND',
    message: expect.stringContaining('leads back to itself'),
  })
})

test('paths no system can hold are refused clearly', async () => {
  const root = await tempFolder()
  await expect(locate(root, 'a\0b')).rejects.toMatchObject({ code: 'INVALID_PATH' })
  await expect(locate(root, 'x/'.repeat(200_000))).rejects.toMatchObject({ code: 'INVALID_PATH' })
  await expect(locate(root, 'x'.repeat(300))).rejects.toMatchObject({ code: 'INVALID_PATH' })
  await expect(locate(root, 'x'.repeat(5_000))).rejects.toMatchObject({ code: 'INVALID_PATH' })
})

test('a root that is gone is said to be gone', async () => {
  const root = await tempFolder()
  await rm(root, { recursive: true })
  await expect(locate(root, 'a')).rejects.toMatchObject({ code: 'WORKSPACE_MISSING', message: expect.stringContaining(root) })
})
