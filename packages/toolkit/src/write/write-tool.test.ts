import { chmod, link, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRuntime } from '@dsh/tools'
import { describe, expect, test } from 'vitest'
import { asNobody } from '../../test/as-nobody.ts'
import { runBody, runTool } from '../../test/run-tool.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import { editTool, fileTools, type WriteValue, writeTool } from '../index.ts'

const write = (root: string, path: string, content: string) => runTool<WriteValue>(writeTool({ root }), { path, content })

describe('a new file', () => {
  test('is made with the folders on the way', async () => {
    const root = await tempFolder()
    const { value, text, view } = await write(root, 'a/b/c.txt', 'héllo\n')
    expect(value).toEqual({ path: 'a/b/c.txt', created: true, bytes: 7, encoding: 'utf-8', hunks: [] })
    expect(text).toBe('Made a/b/c.txt with 7 bytes.')
    expect(view).toEqual({ card: 'diff', title: 'a/b/c.txt', diffs: [{ path: 'a/b/c.txt', oldText: null, newText: 'héllo\n' }] })
    expect(await readFile(join(root, 'a/b/c.txt'), 'utf8')).toBe('héllo\n')
    expect(await readdir(join(root, 'a/b'))).toEqual(['c.txt'])
  })

  test('is not made outside the workspace: by name, by "..", through a folder that is a link, through a link to nothing', async () => {
    const [root, other] = [await tempFolder(), await tempFolder()]
    await symlink(other, join(root, 'out'))
    await symlink(join(other, 'new'), join(root, 'dangling'))
    for (const path of [join(other, 'x'), '../x', 'out/x', 'out/deep/x']) {
      expect((await write(root, path, 'x')).error, path).toMatchObject({ code: 'OUTSIDE_WORKSPACE' })
    }
    expect((await write(root, 'dangling', 'x')).error?.code).toMatch(/OUTSIDE_WORKSPACE|FILE_NOT_FOUND/)
    expect(await readdir(other)).toEqual([])
  })

  test('is not made of a path that names a folder', async () => {
    const root = await tempFolder()
    expect((await write(root, 'new/', 'x')).error).toMatchObject({ code: 'NOT_A_FILE', message: expect.stringContaining('names a folder') })
    expect(await readdir(root)).toEqual([])
  })

  test('cannot be made below a file', async () => {
    const root = await tempFolder({ a: 'x' })
    expect((await write(root, 'a/b', 'x')).error?.message).toMatch(/a.* is a file, not a folder/)
  })

  test('leaves no folder behind when it is not made', async () => {
    const root = await tempFolder()
    const { error } = await write(root, `a/b/${'x'.repeat(300)}`, 'x')
    expect(error?.message).toMatch(/longer than this system allows/)
    expect(await readdir(root)).toEqual([])
  })
})

describe('a file that is there', () => {
  test('is replaced, and what changed is said with its context', async () => {
    const lines = Array.from({ length: 9 }, (_, index) => `${index + 1}\n`)
    const root = await tempFolder({ a: lines.join('') })
    const { value, text, view } = await write(root, 'a', lines.with(4, 'five\n').join(''))
    expect(value.hunks).toEqual([{ line: 2, oldText: '2\n3\n4\n5\n6\n7\n8\n', newText: '2\n3\n4\nfive\n6\n7\n8\n' }])
    expect(text).toBe('Replaced a, which has 21 bytes now.')
    expect(view).toMatchObject({ card: 'diff', diffs: [{ path: 'a', oldText: value.hunks[0]?.oldText, newText: value.hunks[0]?.newText }] })
  })

  test('keeps its mode, and the link that leads to it', async () => {
    const root = await tempFolder({ 'real/a': 'old' })
    await chmod(join(root, 'real/a'), 0o751)
    await symlink('real/a', join(root, 'link'))
    expect((await write(root, 'link', 'new')).value.path).toBe('link')
    expect(await readlink(join(root, 'link'))).toBe('real/a')
    expect(await readFile(join(root, 'real/a'), 'utf8')).toBe('new')
    expect((await stat(join(root, 'real/a'))).mode & 0o7777).toBe(0o751)
  })

  test('under its other names, hard links, keeps what it held', async () => {
    const [root, other] = [await tempFolder(), await tempFolder({ a: 'old' })]
    await link(join(other, 'a'), join(root, 'a'))
    await write(root, 'a', 'new')
    expect(await readFile(join(other, 'a'), 'utf8')).toBe('old')
  })

  test.each([
    ['CRLF', 'a\r\nb\r\n', 'x\ny\n', 'x\r\ny\r\n'],
    ['mixed line ends', 'a\r\nb\n', 'x\ny\n', 'x\ny\n'],
    ['CRLF, and the content says otherwise', 'a\r\nb\r\n', 'x\r\ny\n', 'x\r\ny\n'],
  ])('with %s', async (_name, old, content, now) => {
    const root = await tempFolder({ a: old })
    await write(root, 'a', content)
    expect(await readFile(join(root, 'a'), 'utf8')).toBe(now)
  })

  test('keeps its byte-order mark and its encoding, and refuses what that does not have', async () => {
    const root = await tempFolder({ bom: '\ufeffa', wide: Buffer.from('\ufeffa', 'utf16le'), old: Buffer.from([0x63, 0x61, 0x66, 0xe9]) })
    await write(root, 'bom', 'é')
    await write(root, 'wide', '文')
    expect((await write(root, 'old', 'né')).value).toMatchObject({ encoding: 'windows-1252', bytes: 2 })
    expect(await readFile(join(root, 'bom'), 'utf8')).toBe('\ufeffé')
    expect(await readFile(join(root, 'wide'), 'utf16le')).toBe('\ufeff文')
    expect(await readFile(join(root, 'old'))).toEqual(Buffer.from([0x6e, 0xe9]))
    expect((await write(root, 'old', 'a文')).error).toEqual({ code: 'UNENCODABLE_TEXT', message: expect.stringContaining('"文" (U+6587)') })
    expect(await readFile(join(root, 'old'))).toEqual(Buffer.from([0x6e, 0xe9]))
  })

  test('does not get a second mark from content that brings one', async () => {
    const root = await tempFolder({ bom: '\ufeffa', plain: 'a' })
    await write(root, 'bom', '\ufeffb')
    await write(root, 'plain', '\ufeffb')
    expect(await readFile(join(root, 'bom'), 'utf8')).toBe('\ufeffb')
    expect(await readFile(join(root, 'plain'), 'utf8')).toBe('\ufeffb')
  })

  test.each([
    ['empty', ''],
    ['of a mark alone', '\ufeff'],
    ['of lone CRs', 'a\rb\r'],
  ])('%s is replaced and edited like any other', async (_name, old) => {
    const root = await tempFolder({ f: old })
    expect((await write(root, 'f', 'new\n')).error).toBeUndefined()
    expect((await runTool(editTool({ root }), { path: 'f', edits: [{ oldText: 'new', newText: 'newer' }] })).error).toBeUndefined()
    expect(await readFile(join(root, 'f'), 'utf8')).toBe(`${old === '\ufeff' ? old : ''}newer\n`)
  })

  test('is replaced under a mode with set-uid and sticky bits, which stay', async () => {
    const root = await tempFolder({ f: 'old' })
    await chmod(join(root, 'f'), 0o5755)
    await write(root, 'f', 'new')
    expect((await stat(join(root, 'f'))).mode & 0o7777).toBe(0o5755)
  })

  test('in a folder that nobody may write to is left alone', async () => {
    const root = await tempFolder({ 'in/f': 'old' })
    await chmod(join(root, 'in/f'), 0o666)
    await chmod(join(root, 'in'), 0o555)
    await asNobody(root, async () => {
      for (const path of ['in/f', 'in/new']) expect((await write(root, path, 'x')).error?.code).toBe('PERMISSION_DENIED')
    })
    expect(await readdir(join(root, 'in'))).toEqual(['f'])
    expect(await readFile(join(root, 'in/f'), 'utf8')).toBe('old')
  })

  test('of UTF-16 with half a character in it is changed elsewhere, and keeps the half', async () => {
    const root = await tempFolder({ wide: Buffer.from('\ufeff\ud800 a\nb', 'utf16le') })
    const { error } = await runTool(editTool({ root }), { path: 'wide', edits: [{ oldText: 'b', newText: 'c' }] })
    expect(error).toBeUndefined()
    expect(await readFile(join(root, 'wide'))).toEqual(Buffer.from('\ufeff\ud800 a\nc', 'utf16le'))
  })

  test.each([
    ['a folder', 'folder', 'NOT_A_FILE'],
    ['no text', 'binary', 'BINARY_FILE'],
    ['too large', 'large', 'FILE_TOO_LARGE'],
  ])('is left alone when it is %s', async (_name, path, code) => {
    const root = await tempFolder({ binary: Buffer.from([1, 0, 2]), large: 'x'.repeat(11) })
    await mkdir(join(root, 'folder'))
    const { error } = await runTool(writeTool({ root, limits: { editBytes: 10 } }), { path, content: 'x' })
    expect(error?.code).toBe(code)
  })

  test('that nobody may write is left alone', async () => {
    const root = await tempFolder({ a: 'old' })
    await chmod(join(root, 'a'), 0o444)
    await asNobody(root, async () => {
      expect((await write(root, 'a', 'new')).error?.code).toBe('PERMISSION_DENIED')
    })
    expect(await readdir(root)).toEqual(['a'])
    expect(await readFile(join(root, 'a'), 'utf8')).toBe('old')
  })
})

test('a file that has changed since it was written here is not replaced; one whose bytes are the same is', async () => {
  const root = await tempFolder()
  const tool = writeTool({ root })
  await runTool(tool, { path: 'a', content: 'one' })
  expect((await runTool(tool, { path: 'a', content: 'two' })).error).toBeUndefined()
  await writeFile(join(root, 'a'), 'two') // touched
  expect((await runTool(tool, { path: 'a', content: 'three' })).error).toBeUndefined()
  await writeFile(join(root, 'a'), 'theirs')
  expect((await runTool(tool, { path: 'a', content: 'four' })).error).toMatchObject({ code: 'FILE_CHANGED' })
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('theirs')
})

test('calls that write one file in one batch all land, one after another; calls for other files overlap with them', async () => {
  const root = await tempFolder({ a: '0' })
  await symlink('a', join(root, 'same'))
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root })
  const call = (path: string, content: string) =>
    ({ type: 'tool-call', name: 'write', arguments: JSON.stringify({ path, content }) }) as const
  const calls = ['a', 'same', './a', 'b', 'c'].map((path) => call(path, path))
  const { results } = await runtime.tools.execute({ calls, signal: new AbortController().signal })
  expect(results.map(({ result }) => result.isError)).toEqual([false, false, false, false, false])
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('./a')
  expect((await readdir(root)).sort()).toEqual(['a', 'b', 'c', 'same'])
})

test.each(['old', 'made/new'])('a call cancelled at any moment leaves %s whole: as it was, or as it shall be', async (path) => {
  for (let checks = 1, isDone = false; !isDone; checks++) {
    const root = await tempFolder({ old: 'before' })
    isDone = await runBody(writeTool({ root }), { path, content: 'after' }, abortAtCheck(checks)).then(() => true, expectAborted)
    const now = await readFile(join(root, path), 'utf8').catch(() => undefined)
    expect(now).toBe(isDone ? 'after' : path === 'old' ? 'before' : undefined)
    expect(await readdir(root, { recursive: true })).toEqual(isDone && path !== 'old' ? ['made', 'old', 'made/new'] : ['old'])
  }
})

/** A signal that is aborted when the body looks at it for the n-th time. */
function abortAtCheck(checks: number): AbortSignal {
  const controller = new AbortController()
  let left = checks
  controller.signal.throwIfAborted = () => {
    if (--left === 0) controller.abort(new Error('enough'))
    if (controller.signal.aborted) throw controller.signal.reason
  }
  return controller.signal
}

function expectAborted(error: Error): false {
  expect(error.message).toBe('enough')
  return false
}
