import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/temp-folder.ts'
import { fileKey } from './file-key.ts'

test('all spellings of a file are one key, those of one that does not exist yet as well', async () => {
  const root = await tempFolder({ 'real/a': '' })
  await symlink('real', join(root, 'one'))
  await symlink('one', join(root, 'two'))
  for (const asked of ['real/a', './real//a', 'real/../real/a', 'one/a', 'two/a', 'two/a/', join(root, 'one/a')]) {
    expect(fileKey(root, asked), asked).toBe(`file:${root}/real/a`)
  }
  for (const asked of ['real/new/b', 'two/new/b', 'two/new/x/../b', 'two/new/b/']) {
    expect(fileKey(root, asked), asked).toBe(`file:${root}/real/new/b`)
  }
})

test('other files are other keys: names that look the same, with line breaks or dots, in other case', async () => {
  const names = ['é', 'é'.normalize('NFD'), 'a', 'A', 'a\nb', '...', '..a', ' a', 'a\\b', '~', 'file:a']
  const root = await tempFolder()
  expect(new Set(names.map((name) => fileKey(root, name))).size).toBe(names.length)
})

test('a path that leads nowhere has the key of its words', async () => {
  const root = await tempFolder({ file: '' })
  await mkdir(join(root, 'folder'))
  await symlink('loop', join(root, 'loop'))
  await symlink('folder/nothing', join(root, 'dangling'))
  for (const asked of ['loop', 'loop/a', 'dangling', 'file/below', 'a\0b']) expect(fileKey(root, asked)).toBe(`file:${root}/${asked}`)
})

test('a path too long for any file is not looked up', async () => {
  const root = await tempFolder()
  const names = 'x/'.repeat(200_000)
  expect(fileKey(root, names)).toBe(`file:${root}/${names.slice(0, -1)}`)
})
