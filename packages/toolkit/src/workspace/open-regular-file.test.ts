import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { asNobody } from '../../test/as-nobody.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import { locate } from './locate.ts'
import { openRegularFile } from './open-regular-file.ts'

const open = async (root: string, path: string) => openRegularFile(await locate(root, path))

test('a named pipe is refused without waiting for a writer', async () => {
  const root = await tempFolder()
  execFileSync('mkfifo', [join(root, 'pipe')])
  await expect(open(root, 'pipe')).rejects.toMatchObject({ code: 'NOT_A_FILE', message: expect.stringContaining('a named pipe') })
})

test('a socket is refused', async () => {
  const root = await tempFolder()
  const server = createServer().listen(join(root, 'socket'))
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  await expect(open(root, 'socket')).rejects.toMatchObject({ code: 'NOT_A_FILE', message: expect.stringContaining('a socket') })
})

test('a device is refused', async () => {
  await expect(open('/dev', 'null')).rejects.toMatchObject({ code: 'NOT_A_FILE', message: expect.stringContaining('a device') })
})

test('a folder is refused with the way to list it', async () => {
  const root = await tempFolder({ 'src/a.ts': '' })
  await expect(open(root, 'src')).rejects.toMatchObject({ code: 'NOT_A_FILE', message: expect.stringContaining('Use glob with path src') })
})

test('a pipe that takes the place of a file after it was located does not block', async () => {
  const root = await tempFolder({ 'a.txt': '' })
  const located = await locate(root, 'a.txt')
  await rm(located.real)
  execFileSync('mkfifo', [located.real])
  await expect(openRegularFile(located)).rejects.toMatchObject({ code: 'NOT_A_FILE' })
})

test('a link that takes the place of a file after it was located is not followed', async () => {
  const outside = await tempFolder({ secret: 'secret' })
  const root = await tempFolder({ 'a.txt': '' })
  const located = await locate(root, 'a.txt')
  await rm(located.real)
  await symlink(join(outside, 'secret'), located.real)
  await expect(openRegularFile(located)).rejects.toMatchObject({
    code: 'FILE_NOT_FOUND',
    message: expect.stringContaining('changed just now'),
  })
})

test('a file this user may not read is said to be that', async () => {
  const root = await tempFolder()
  await writeFile(join(root, 'private'), 'x')
  await chmod(join(root, 'private'), 0)
  await asNobody(root, async () => {
    await expect(open(root, 'private')).rejects.toMatchObject({ code: 'PERMISSION_DENIED', message: expect.stringContaining('private') })
  })
})
