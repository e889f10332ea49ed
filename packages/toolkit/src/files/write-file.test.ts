import { once } from 'node:events'
import { readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startFileHost } from '../../test/file-host.ts'
import { runBody, runTool } from '../../test/run-tool.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import { editTool, writeTool } from '../index.ts'

const live = new AbortController().signal
const addLine = (line: string) => ({ path: 'f', edits: [{ oldText: 'end\n', newText: `${line}\nend\n` }] })

test('of writers that know nothing of each other every one that succeeds is in the file, and every other is told that it changed', async () => {
  const root = await tempFolder({ f: 'end\n' })
  const done: string[] = []
  const edit = async (line: string) => {
    try {
      await runBody(editTool({ root }), addLine(line), live)
      done.push(line)
    } catch (error) {
      expect(error).toMatchObject({ code: 'FILE_CHANGED' })
    }
  }
  for (let round = 0; round < 30; round++) await Promise.all(['a', 'b', 'c', 'd'].map((name) => edit(`${name}${round}`)))
  const lines = (await readFile(join(root, 'f'), 'utf8')).split('\n')
  expect(lines.sort()).toEqual([...done, 'end', ''].sort())
  expect(done.length).toBeGreaterThanOrEqual(30)
  expect(await readdir(root)).toEqual(['f'])
})

test('edits of two processes at once are all in the file, or refused', async () => {
  const root = await tempFolder({ f: 'end\n' })
  const hosts = ['a', 'b'].map((name) => startFileHost(root, { kind: 'edit', name, times: 60 }))
  const outputs = await Promise.all(hosts.map((host) => text(host.stdout)))
  const said = outputs.join('').split('\n').filter(Boolean)
  const done = said.filter((line) => line !== 'FILE_CHANGED')
  expect(said).toHaveLength(120)
  const lines = (await readFile(join(root, 'f'), 'utf8')).split('\n')
  expect(lines.sort()).toEqual([...done, 'end', ''].sort())
})

test('a process that is killed while it writes leaves a whole version, and at most one temporary file', async () => {
  const root = await tempFolder({ f: '' })
  const host = startFileHost(root, { kind: 'write', name: 'w', times: 1_000 })
  for await (const chunk of host.stdout) {
    if (String(chunk).includes('w10\n')) break
  }
  host.kill('SIGKILL')
  await once(host, 'exit')
  const lines = (await readFile(join(root, 'f'), 'utf8')).split('\n')
  expect(lines).toHaveLength(20_001)
  expect(new Set(lines.slice(0, -1)).size).toBe(1)
  const left = (await readdir(root)).filter((name) => name !== 'f')
  expect(left.length).toBeLessThanOrEqual(1)
  for (const name of left) expect(name).toMatch(/^\.dsh-[0-9a-f]{16}\.tmp$/)
})

/** A signal whose last look (after the content is on the disk, before it takes the name) does something. */
function atLastLook(act: () => void): AbortSignal {
  const { signal } = new AbortController()
  let checks = 0
  signal.throwIfAborted = () => {
    if (++checks === 2) act()
  }
  return signal
}

test('a folder that becomes a link out of the workspace meanwhile leads nothing out', async () => {
  const [root, other] = [await tempFolder({ 'in/f': 'end\n' }), await tempFolder()]
  const swap = () => {
    renameSync(join(root, 'in'), join(root, 'moved'))
    symlinkSync(other, join(root, 'in'))
  }
  const written = runBody(writeTool({ root }), { path: 'in/new', content: 'x' }, atLastLook(swap))
  await expect(written).rejects.toMatchObject({ code: 'FILE_CHANGED' })
  expect(await readdir(other)).toEqual([])
})

/** The name of the temporary file in a folder. */
const temporaryIn = (root: string) => readdirSync(root).find((name) => name.startsWith('.dsh-')) as string

test('what a dead process left is in the way of the same change for some seconds, then it is gone', async () => {
  const root = await tempFolder({ f: 'end\n' })
  let claim = ''
  const dying = atLastLook(() => {
    claim = join(root, temporaryIn(root))
    throw new Error('killed')
  })
  await expect(runBody(editTool({ root }), addLine('a'), dying)).rejects.toThrow('killed')
  expect(await readdir(root)).toEqual(['f'])
  await writeFile(claim, 'half a fi')
  expect((await runTool(editTool({ root }), addLine('b'))).error?.code).toBe('FILE_CHANGED')
  await utimes(claim, 0, 0)
  expect((await runTool(editTool({ root }), addLine('c'))).error).toBeUndefined()
  expect(await readFile(join(root, 'f'), 'utf8')).toBe('c\nend\n')
  expect(await readdir(root)).toEqual(['f'])
})

test('who was taken for dead notices it, and never gives the name to what another writes', async () => {
  const root = await tempFolder({ f: 'end\n' })
  const takeOver = atLastLook(() => {
    const claim = join(root, temporaryIn(root))
    rmSync(claim)
    writeFileSync(claim, 'half a fi')
  })
  await expect(runBody(editTool({ root }), addLine('a'), takeOver)).rejects.toMatchObject({ code: 'FILE_CHANGED' })
  expect(await readFile(join(root, 'f'), 'utf8')).toBe('end\n')
})

test('a file that finds no room is as it was, and leaves nothing', async () => {
  const root = await tempFolder({ f: 'old' })
  const host = startFileHost(root, { kind: 'write', name: 'w', times: 2, fileKiB: 8 })
  expect(await text(host.stdout)).toBe('WRITE_FAILED\nWRITE_FAILED\n')
  expect(await readFile(join(root, 'f'), 'utf8')).toBe('old')
  expect(await readdir(root)).toEqual(['f'])
})
