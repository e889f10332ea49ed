import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRuntime } from '@dsh/tools'
import { spillPolicy } from '@dsh/tools/policies/spill'
import { expect, test } from 'vitest'
import { runBody, runTool } from '../../test/run-tool.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import { writeLarge } from '../../test/write-large.ts'
import type { FileToolsLimits } from '../config.ts'
import { fileTools } from '../file-tools.ts'
import { resultTools } from '../results/result-tools.ts'
import { readTool } from './read-tool.ts'
import type { ReadValue } from './read-value.ts'

const read = (root: string, args: object, limits: FileToolsLimits = {}) => runTool<ReadValue>(readTool({ root, limits }), args)

const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}\n`).join('')

test('a file is its numbered lines', async () => {
  const root = await tempFolder({ 'src/a.ts': 'one\n\ttwo\n' })
  const { value, text } = await read(root, { path: 'src/a.ts' })
  expect(text).toBe('1\tone\n2\t\ttwo')
  expect(value).toEqual({
    path: 'src/a.ts',
    offset: 1,
    lines: [
      { number: 1, text: 'one' },
      { number: 2, text: '\ttwo' },
    ],
    totalLines: 2,
    truncated: false,
    encoding: 'utf-8',
    sizeBytes: 9,
  })
})

test('2,000 lines are shown, and the last line says what is left out and how to get it', async () => {
  const root = await tempFolder({ a: numbered(1, 5_000) })
  const { value, text } = await read(root, { path: 'a' })
  expect(value).toMatchObject({ totalLines: 5_000, truncated: true, nextOffset: 2_001 })
  expect(value.lines.length).toBe(2_000)
  expect(text.split('\n').at(-1)).toBe('[lines 2001-5000 not shown: call read with offset 2001]')
})

test('reading on from the named offset gives every line once', async () => {
  const root = await tempFolder({ a: numbered(1, 4_500) })
  const numbers: number[] = []
  for (let offset: number | undefined = 1; offset !== undefined; ) {
    const { value }: { value: ReadValue } = await read(root, { path: 'a', offset })
    numbers.push(...value.lines.map((line) => line.number))
    offset = value.nextOffset
  }
  expect(numbers).toEqual(Array.from({ length: 4_500 }, (_, n) => n + 1))
})

test('offset and limit choose a window, and a limit beyond the most is the most', async () => {
  const root = await tempFolder({ a: numbered(1, 30) })
  const { value, text } = await read(root, { path: 'a', offset: 29, limit: 1 })
  expect(value.lines).toEqual([{ number: 29, text: 'line 29' }])
  expect(text).toBe('29\tline 29\n[line 30 not shown: call read with offset 30]')
  expect((await read(root, { path: 'a', limit: 999 }, { readLines: 10 })).value.lines.length).toBe(10)
})

test('48 KiB are shown at most, line numbers included', async () => {
  const root = await tempFolder({ a: `${'x'.repeat(1_020)}\n`.repeat(60) })
  const { value, text } = await read(root, { path: 'a' })
  expect(value).toMatchObject({ totalLines: 60, nextOffset: 49 })
  expect(text.lastIndexOf('\n')).toBe(9 * 1_023 + 39 * 1_024 - 1)
})

test.each([
  ['short lines', 'x\n'],
  ['lines of ASCII', `${'x'.repeat(99)}\n`],
  ['lines of 3-byte characters', `${'中'.repeat(700)}\n`],
  ['lines that are cut', `${'中'.repeat(2_100)}\n`],
])('every page of %s stays below the spill limit: a model reads the page, not a preview', async (_, line) => {
  const root = await tempFolder({ a: line.repeat(Math.ceil(9_000_000 / Buffer.byteLength(line))) })
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root, limits: { readLines: 100_000 } })
  await runtime.plugin(resultTools, { folder: join(root, 'results') })
  await runtime.plugin(spillPolicy)
  for (const offset of [1, 1_001]) {
    const { content } = await runtime.call('read', { path: 'a', offset })
    const text = content[0]?.type === 'text' ? content[0].text : ''
    const rows = text.split('\n')
    expect(rows[0]).toMatch(new RegExp(`^${offset}\t(x|中)`))
    expect(rows.at(-1)).toMatch(`call read with offset ${offset + rows.length - 1}]`)
    expect(Buffer.byteLength(text)).toBeGreaterThan(42_000)
  }
})

test('a line over 2,000 characters is cut, with a mark that says how many are left out, and no pair is split', async () => {
  const root = await tempFolder({ a: `x${'😀'.repeat(1_500)}\nnext\n` })
  const { value, text } = await read(root, { path: 'a' })
  expect(value.lines[0]).toEqual({ number: 1, text: `x${'😀'.repeat(999)}`, cut: 1_002 })
  expect(text.split('\n')[0]).toMatch(/😀 \[\.\.\. 1,002 more characters\]$/u)
  expect(text.isWellFormed()).toBe(true)
  expect(value).toMatchObject({ totalLines: 2, truncated: false })
})

test('an offset beyond the end is an empty window that says how many lines there are', async () => {
  const root = await tempFolder({ a: numbered(1, 3) })
  const { value, text, view } = await read(root, { path: 'a', offset: 10 })
  expect(value).toMatchObject({ offset: 10, lines: [], totalLines: 3, truncated: false })
  expect(text).toBe('[a has 3 lines, none at offset 10: call read with an offset up to 3]')
  expect(view).toMatchObject({ card: 'read', offset: 10, lines: [], totalLines: 3 })
})

test('an empty file is fine', async () => {
  const root = await tempFolder({ a: '', bom: '\ufeff' })
  expect(await read(root, { path: 'a' })).toMatchObject({ value: { lines: [], totalLines: 0, truncated: false }, text: '[a is empty]' })
  expect(await read(root, { path: 'bom' })).toMatchObject({ value: { lines: [], totalLines: 0 } })
})

test.each([
  ['offset', 0],
  ['offset', -1],
  ['limit', 0],
])('%s %d is refused: lines are counted from 1', async (name, value) => {
  const root = await tempFolder({ a: 'x' })
  expect((await read(root, { path: 'a', [name]: value })).error).toMatchObject({
    code: 'INVALID_RANGE',
    message: expect.stringContaining(name),
  })
})

test('a byte-order mark is dropped, CRLF is a line break, and broken bytes become U+FFFD', async () => {
  const root = await tempFolder({ a: Buffer.concat([Buffer.from('\ufeffa\r\nb'), Buffer.from([0xff]), Buffer.from('\r\n')]) })
  expect((await read(root, { path: 'a' })).text).toBe('1\ta\n2\tb\ufffd')
})

test.each(['utf-16le', 'utf-16be'] as const)('%s with a byte-order mark is decoded', async (encoding) => {
  const bytes = Buffer.from('\ufeffeins 😀\r\nzwei 中\n', 'utf16le')
  const root = await tempFolder({ a: encoding === 'utf-16le' ? bytes : Buffer.from(bytes).swap16() })
  expect(await read(root, { path: 'a' })).toMatchObject({ text: '1\teins 😀\n2\tzwei 中', value: { encoding, totalLines: 2 } })
})

test('what is neither UTF-8 nor UTF-16 is decoded as Windows-1252, wherever the first odd byte stands', async () => {
  const root = await tempFolder({
    a: Buffer.from('63616620e920800a', 'hex'),
    late: Buffer.concat([Buffer.from('x\n'.repeat(100_000)), Buffer.from([0xe9])]),
  })
  expect(await read(root, { path: 'a' })).toMatchObject({ text: '1\tcaf é €', value: { encoding: 'windows-1252', sizeBytes: 8 } })
  expect((await read(root, { path: 'late', offset: 100_001 })).text).toBe('100001\té')
})

test('what an agent has read it may replace, until the file changes: a window counts, too', async () => {
  const root = await tempFolder({ a: 'one\ntwo\n', large: 'x\n'.repeat(5_000_000) })
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root })
  const codeOf = async (path: string) => {
    const result = await runtime.call('write', { path, content: 'new' })
    return result.isError ? result.error.info?.code : undefined
  }
  for (const path of ['a', 'large']) {
    await runtime.call('read', { path, limit: 1 })
    await writeFile(join(root, path), 'other')
    expect(await codeOf(path)).toBe('FILE_CHANGED')
    await runtime.call('read', { path, limit: 1 })
    expect(await codeOf(path)).toBeUndefined()
  }
})

test('a call reads one key, the same under every name of its file', async () => {
  const root = await tempFolder({ 'src/a': '' })
  await symlink('src/a', join(root, 'link'))
  const keys = ['src/a', 'link', 'src/../link', join(root, 'src/a')].map((path) => readTool({ root }).access?.({ path })?.reads)
  expect(new Set(keys.map(String))).toEqual(new Set([`file:${root}/src/a`]))
})

test('a character that falls between two chunks of the file is whole', async () => {
  const root = await tempFolder({ a: `${'x'.repeat(65_535)}\n`.replace('x', '') + '中'.repeat(40_000) })
  const { value } = await read(root, { path: 'a', offset: 2 })
  expect(value.lines).toEqual([{ number: 2, text: '中'.repeat(2_000), cut: 38_000 }])
})

test('a binary file is refused with its size and kind', async () => {
  const root = await tempFolder({ 'a.png': Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(2_000)]) })
  expect((await read(root, { path: 'a.png' })).error).toEqual({
    code: 'BINARY_FILE',
    message:
      'a.png is not text: it is a PDF document of 2,008 bytes. Use a tool made for that kind of file: read shows text, and images that are PNG, JPEG, GIF or WebP.',
  })
})

test('a folder, a missing file, a pipe and a way out are refused, each with its own code', async () => {
  const root = await tempFolder({ 'src/index.ts': '' })
  execFileSync('mkfifo', [join(root, 'pipe')])
  await symlink('/etc/passwd', join(root, 'link'))
  const codes = await Promise.all(
    ['src', 'src/indx.ts', 'pipe', 'link', '../x'].map(async (path) => (await read(root, { path })).error?.code),
  )
  expect(codes).toEqual(['NOT_A_FILE', 'FILE_NOT_FOUND', 'NOT_A_FILE', 'OUTSIDE_WORKSPACE', 'OUTSIDE_WORKSPACE'])
})

test.each(['😀 中文.md', 'new\nline', '-n', ' x '])('the file name %j is an ordinary one', async (path) => {
  const root = await tempFolder({ [path]: 'hello' })
  expect(await read(root, { path })).toMatchObject({ text: '1\thello', value: { path } })
})

test('a line of 200 MB is read without holding it', async () => {
  const root = await tempFolder()
  await writeLarge(join(root, 'huge'), 200, () => Buffer.alloc(1_048_576, 'x'))
  const before = process.memoryUsage()
  const { value } = await read(root, { path: 'huge' })
  const after = process.memoryUsage()
  expect(value).toMatchObject({ totalLines: 1, sizeBytes: 209_715_200, lines: [{ cut: 209_713_200 }] })
  expect(after.rss - before.rss).toBeLessThan(100_000_000)
})

test('a file over 8 MiB is read to the end of the window, and what follows is said without a number', async () => {
  const root = await tempFolder()
  await plantLong(join(root, 'long'))
  const { value, text, view } = await read(root, { path: 'long', offset: 500_000, limit: 2 })
  expect(value).toEqual({
    path: 'long',
    offset: 500_000,
    lines: [
      { number: 500_000, text: '000499999' },
      { number: 500_001, text: '000500000' },
    ],
    truncated: true,
    nextOffset: 500_002,
    encoding: 'utf-8',
    sizeBytes: 10_000_000,
  })
  expect(text).toBe(
    '500000\t000499999\n500001\t000500000\n[more lines follow, in 10,000,000 bytes of the whole file: call read with offset 500002]',
  )
  expect(view).not.toHaveProperty('totalLines')
})

test('the end of a file over 8 MiB tells how many lines there are', async () => {
  const root = await tempFolder()
  await plantLong(join(root, 'long'))
  const last = await read(root, { path: 'long', offset: 999_999 })
  expect(last.value).toMatchObject({ lines: [{ number: 999_999 }, { number: 1_000_000 }], totalLines: 1_000_000, truncated: false })
  expect((await read(root, { path: 'long', offset: 2_000_000 })).value).toMatchObject({ lines: [], totalLines: 1_000_000 })
})

test('any page of a file over 8 MiB is the same, whatever was read before it, and after the file has changed', async () => {
  const root = await tempFolder()
  const path = join(root, 'long')
  await plantLong(path)
  await utimes(path, 1, 1)
  const tool = readTool({ root })
  const firstOf = async (offset: number) => (await runTool<ReadValue>(tool, { path: 'long', offset, limit: 1 })).value.lines[0]?.text
  for (const line of [900_000, 5, 300_000, 300_001, 899_999, 900_000, 1_000_000]) {
    expect(await firstOf(line)).toBe(String(line - 1).padStart(9, '0'))
  }
  await writeFile(path, `new\n${'x'.repeat(9)}\n`.repeat(800_000))
  await utimes(path, 2, 2)
  expect(await firstOf(900_001)).toBe('new')
})

test.runIf(process.platform === 'linux')('the next page of a file over 8 MiB costs about a window, not the way there', async () => {
  const root = await tempFolder()
  const path = join(root, 'long')
  await plantLong(path)
  await utimes(path, 1, 1)
  const tool = readTool({ root })
  const bytesFor = async (offset: number) => {
    const before = readChars()
    await runTool(tool, { path: 'long', offset, limit: 100 })
    return readChars() - before
  }
  expect(await bytesFor(500_000)).toBeGreaterThan(4_500_000)
  expect(await bytesFor(500_100)).toBeLessThan(1_000_000)
})

test('a signal that fires while the file is read ends the call, and the handle is closed', async () => {
  const root = await tempFolder()
  await writeLarge(join(root, 'huge'), 100, () => Buffer.alloc(1_048_576, 'x\n'))
  const reason = new Error('enough')
  const signal = { aborted: false, throwIfAborted: failAfter(5, reason) } as unknown as AbortSignal
  const open = () => readdirSync('/dev/fd').length
  const before = open()
  await expect(runBody(readTool({ root }), { path: 'huge', offset: 1_000_000_000 }, signal)).rejects.toBe(reason)
  expect(open()).toBe(before)
})

test('the cards show the file, where it is read from, and the language', async () => {
  const root = await tempFolder({ 'src/a.ts': 'one\ntwo\n' })
  expect(readTool({ root }).presentCall?.({ path: 'src/a.ts', offset: 2 })).toEqual({
    card: 'generic',
    kind: 'read',
    title: 'src/a.ts',
    locations: [{ path: 'src/a.ts', line: 2 }],
  })
  expect((await read(root, { path: 'src/a.ts', offset: 2 })).view).toEqual({
    card: 'read',
    title: 'src/a.ts',
    path: 'src/a.ts',
    offset: 2,
    lines: [{ number: 2, text: 'two' }],
    totalLines: 2,
    lang: 'typescript',
  })
})

test('a failed call keeps the pending card', async () => {
  const root = await tempFolder()
  expect(readTool({ root }).presentResult?.({ path: 'a' }, { content: [], isError: true })).toBeUndefined()
})

/** A million lines of ten bytes, each its own number from 0 on. */
async function plantLong(path: string): Promise<void> {
  await writeFile(path, Array.from({ length: 1_000_000 }, (_, n) => `${String(n).padStart(9, '0')}\n`).join(''))
}

/** Bytes this process has read, as the system counts them. */
function readChars(): number {
  return Number(/^rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'latin1'))?.[1])
}

/** Throws once it has been asked a number of times: a cancellation at a known place. */
function failAfter(times: number, reason: Error): () => void {
  let left = times
  return () => {
    if (left-- === 0) throw reason
  }
}
