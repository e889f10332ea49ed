import { execFileSync } from 'node:child_process'
import { chmod, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asNobody } from '../../test/as-nobody.ts'
import { childCommands } from '../../test/children.ts'
import { runBody, runTool } from '../../test/run-tool.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import { writeLarge } from '../../test/write-large.ts'
import type { FileToolsLimits } from '../config.ts'
import { grepTool } from './grep-tool.ts'
import type { GrepValue } from './grep-value.ts'

const grep = (root: string, args: object, limits: FileToolsLimits = {}) => runTool<GrepValue>(grepTool({ root, limits }), args)

const hits = async (root: string, args: object) =>
  (await grep(root, args)).value.files.flatMap(({ path, matches }) => matches.map(({ line, text }) => `${path}:${line}:${text}`))

test('matching lines come by file, sorted, with their number', async () => {
  const root = await tempFolder({ 'b.txt': 'foo\nbar\nfoo bar\n', 'a/x.txt': 'no\nfoo\n' })
  const { value, text } = await grep(root, { pattern: 'fo+' })
  expect(value).toEqual({
    path: '.',
    files: [
      { path: 'a/x.txt', matches: [{ line: 2, text: 'foo' }] },
      {
        path: 'b.txt',
        matches: [
          { line: 1, text: 'foo' },
          { line: 3, text: 'foo bar' },
        ],
      },
    ],
    total: 3,
    totalFiles: 2,
    truncated: false,
    problems: [],
  })
  expect(text).toBe('a/x.txt\n2\tfoo\n\nb.txt\n1\tfoo\n3\tfoo bar\n\n[3 matching lines in 2 files]')
})

test('several matches in one line are one matching line', async () => {
  const root = await tempFolder({ a: 'foo foo foo\n' })
  expect((await grep(root, { pattern: 'foo' })).value).toMatchObject({ total: 1, files: [{ matches: [{ line: 1 }] }] })
})

test('250 matching lines are shown: always the first ones, and how many there are is said', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `f${String(n).padStart(2, '0')}`)
  const root = await tempFolder(Object.fromEntries(names.map((name) => [name, 'hit\n'.repeat(20)])))
  const { value, text, view } = await grep(root, { pattern: 'hit' })
  expect(value).toMatchObject({ total: 800, totalFiles: 40, truncated: true })
  expect(value.files.map((file) => file.path)).toEqual(names.slice(0, 13))
  expect(value.files.at(-1)?.matches.map((match) => match.line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(text.split('\n').at(-1)).toMatch(/^\[250 of 800 matching lines in 40 files shown: narrow/)
  expect(view).toMatchObject({ card: 'search', shape: 'matches', total: 800, truncated: true })
})

test('path is a folder or a file, and what is found stays relative to the root', async () => {
  const root = await tempFolder({ 'src/a.ts': 'foo\n', 'lib/b.ts': 'foo\n' })
  expect(await hits(root, { pattern: 'foo', path: 'src' })).toEqual(['src/a.ts:1:foo'])
  expect(await hits(root, { pattern: 'foo', path: join(root, 'lib/b.ts') })).toEqual(['lib/b.ts:1:foo'])
})

test('glob keeps to the files it fits, without overriding .gitignore', async () => {
  const root = await tempFolder({
    '.gitignore': 'gen.ts\n',
    'gen.ts': 'foo\n',
    'a.ts': 'foo\n',
    'a.js': 'foo\n',
    'src/b.ts': 'foo\n',
    '.c.ts': 'foo\n',
  })
  expect(await hits(root, { pattern: 'foo', glob: '*.ts' })).toEqual(['a.ts:1:foo', 'src/b.ts:1:foo'])
  expect(await hits(root, { pattern: 'foo', glob: 'src/**' })).toEqual(['src/b.ts:1:foo'])
  expect(await hits(root, { pattern: 'foo', glob: '!*.ts' })).toEqual(['a.js:1:foo'])
  expect(await hits(root, { pattern: 'foo', glob: '.*.ts' })).toEqual(['.c.ts:1:foo'])
  expect((await grep(root, { pattern: 'foo', glob: '*.ts' })).value).toMatchObject({ total: 2, totalFiles: 2 })
})

test('ignored and hidden files are left out, unless named as path', async () => {
  const root = await tempFolder({ '.gitignore': 'dist/\n', 'dist/a': 'foo\n', '.hidden/b': 'foo\n', '.env': 'foo\n' })
  expect(await hits(root, { pattern: 'foo' })).toEqual([])
  expect(await hits(root, { pattern: 'foo', path: 'dist' })).toEqual(['dist/a:1:foo'])
  expect(await hits(root, { pattern: 'foo', path: '.hidden' })).toEqual(['.hidden/b:1:foo'])
  expect(await hits(root, { pattern: 'foo', path: '.env' })).toEqual(['.env:1:foo'])
})

test('ignoreCase and literal do what they say', async () => {
  const root = await tempFolder({ a: 'a.c\nABC\nabc\n' })
  expect(await hits(root, { pattern: 'a.c' })).toEqual(['a:1:a.c', 'a:3:abc'])
  expect(await hits(root, { pattern: 'a.c', literal: true })).toEqual(['a:1:a.c'])
  expect(await hits(root, { pattern: 'a.c', ignoreCase: true })).toEqual(['a:1:a.c', 'a:2:ABC', 'a:3:abc'])
})

test.each(['-v', '--help', '-e', '--files', '--pre=touch pwned', "'; touch pwned", '$(id)'])(
  'the pattern %j is a pattern, never a flag or a command',
  async (pattern) => {
    const root = await tempFolder({ a: `x ${pattern} y\n`, b: 'other\n' })
    expect(await hits(root, { pattern, literal: true })).toEqual([`a:1:x ${pattern} y`])
  },
)

test('odd names are found, and shown as one line each', async () => {
  const names = ['-rf', 'a b', 'new\nline', '中文', '😀']
  const root = await tempFolder(Object.fromEntries(names.map((name) => [name, 'foo\n'])))
  const { value, text } = await grep(root, { pattern: 'foo' })
  expect(value.files.map((file) => file.path)).toEqual(names)
  expect(text).toContain('\n"new\\nline"\n1\tfoo')
  for (const path of names) expect(await hits(root, { pattern: 'foo', path })).toEqual([`${path}:1:foo`])
})

test.each([
  ['(', 'unclosed group'],
  ['[z-a]', 'invalid character class range'],
  ['(?=a)', 'look-around'],
  ['a\nb', '"\\n" is not allowed'],
  ['', 'is empty'],
  ['a\0', 'NUL'],
  ['x'.repeat(70_000), 'longer than'],
  ['\\w{1000}{1000}', 'size limit'],
])('the pattern %j is refused with the reason', async (pattern, reason) => {
  const root = await tempFolder({ a: 'x' })
  const { error } = await grep(root, { pattern })
  expect(error).toMatchObject({ code: 'INVALID_PATTERN', message: expect.stringContaining(reason) })
  expect(error?.message).not.toMatch(/--\w|rg:|\n/)
})

test('CRLF is a line break, for $ too; a byte-order mark is no part of the line', async () => {
  const root = await tempFolder({ a: 'foo\r\nfoo \r\n', b: '\ufefffoo\n' })
  expect(await hits(root, { pattern: '^foo$' })).toEqual(['a:1:foo', 'b:1:foo'])
})

test('UTF-16 files are searched, and lines that are not UTF-8 are shown with U+FFFD', async () => {
  const latin = Buffer.from('caf\xe9 foo\n', 'latin1')
  const root = await tempFolder({ latin, wide: Buffer.from('\ufefffoo 中\n', 'utf16le') })
  expect(await hits(root, { pattern: 'foo' })).toEqual(['latin:1:caf\ufffd foo', 'wide:1:foo 中'])
})

test('a binary file is left out; one that turns out binary later is reported', async () => {
  const late = Buffer.concat([Buffer.from('foo\n'), Buffer.alloc(300_000, 'x\n'), Buffer.from([0]), Buffer.from('\nfoo\n')])
  const root = await tempFolder({ binary: Buffer.from('\0\0foo\n'), late })
  const { value } = await grep(root, { pattern: 'foo' })
  expect(value.files).toEqual([{ path: 'late', matches: [{ line: 1, text: 'foo' }] }])
  expect(value.problems).toEqual([expect.stringMatching(/^late: binary from byte 300004 on/)])
})

test('a long line is cut to 2,000 characters around the match, and says at which ends', async () => {
  const root = await tempFolder({ a: `${'😀'.repeat(5_000)}MATCH${'中'.repeat(5_000)}\n` })
  const { value, text } = await grep(root, { pattern: 'MATCH' })
  const match = value.files[0]?.matches[0]
  expect(match?.cut).toBe('both')
  expect(match?.text).toMatch(/^(😀){400,}MATCH中{900,}$/u)
  expect(match?.text.length).toBeLessThanOrEqual(2_000)
  expect(text).toMatch(/1\t\[\.\.\.\] 😀.*中 \[\.\.\.\]\n/u)
})

test('a long line that is not UTF-8 is cut around the match as well', async () => {
  const root = await tempFolder({ a: Buffer.concat([Buffer.alloc(5_000, 0xe9), Buffer.from('MATCH'), Buffer.alloc(5_000, 0xe9)]) })
  expect((await grep(root, { pattern: 'MATCH' })).value.files[0]?.matches[0]).toMatchObject({
    cut: 'both',
    text: expect.stringMatching(/^\ufffd+MATCH\ufffd+$/),
  })
})

test('a line of 80 MB is searched without holding it, and shown around the match', async () => {
  const root = await tempFolder()
  const block = (index: number) =>
    index === 80 ? Buffer.from('\nnext MATCH\n') : Buffer.alloc(1_048_576, index === 60 ? 'MATCH é😀' : 'x"\\é')
  await writeLarge(join(root, 'huge'), 81, block)
  const before = process.memoryUsage().rss
  const { value } = await grep(root, { pattern: 'MATCH' })
  expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
  expect(value).toMatchObject({
    total: 2,
    files: [
      {
        path: 'huge',
        matches: [
          { line: 1, cut: 'both' },
          { line: 2, text: 'next MATCH' },
        ],
      },
    ],
  })
  const shown = value.files[0]?.matches[0]?.text ?? ''
  expect(shown).toMatch(/^.+x"\\é.*MATCH é😀MATCH é😀/u)
  expect(shown.length).toBeLessThanOrEqual(2_000)
  expect(shown.length).toBeGreaterThan(1_900)
})

test('a very long line whose surroundings cannot be read back shows the match itself', async () => {
  const root = await tempFolder({ a: Buffer.from(`\ufeff${'x'.repeat(400_000)}MATCH${'y'.repeat(400_000)}\n`, 'utf16le') })
  expect((await grep(root, { pattern: 'MATCH' })).value.files).toEqual([{ path: 'a', matches: [{ line: 1, text: 'MATCH', cut: 'both' }] }])
})

test('a line with very many matches costs bounded memory', async () => {
  const root = await tempFolder({ a: `${'a'.repeat(300_000)}\n` })
  expect((await grep(root, { pattern: 'a' })).value).toMatchObject({ total: 1, files: [{ matches: [{ line: 1, cut: 'end' }] }] })
})

test('cancelling in the middle leaves no child process', async () => {
  const root = await tempFolder()
  await writeLarge(join(root, 'big'), 100, () => Buffer.alloc(1_048_576, 'foo\n'))
  const controller = new AbortController()
  const running = runBody(grepTool({ root }), { pattern: 'foo' }, controller.signal)
  while (!childCommands().some((command) => command.includes('--regexp=foo'))) await new Promise(setImmediate)
  controller.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
  expect(childCommands()).toEqual([])
})

test('symbolic links are not followed, and a way out is refused', async () => {
  const outside = await tempFolder({ 'secret.txt': 'foo\n' })
  const root = await tempFolder()
  await symlink(outside, join(root, 'folder'))
  await symlink(join(outside, 'secret.txt'), join(root, 'file'))
  expect(await hits(root, { pattern: 'foo' })).toEqual([])
  expect((await grep(root, { pattern: 'foo', path: 'file' })).error?.code).toBe('OUTSIDE_WORKSPACE')
})

test('a pipe on the way does not hold the search up, and one named as path is refused', async () => {
  const root = await tempFolder({ a: 'foo\n' })
  execFileSync('mkfifo', [join(root, 'pipe')])
  expect(await hits(root, { pattern: 'foo' })).toEqual(['a:1:foo'])
  expect((await grep(root, { pattern: 'foo', path: 'pipe' })).error?.code).toBe('NOT_A_FILE')
})

test('a file that may not be read is reported, and the others are still searched', async () => {
  const root = await tempFolder({ open: 'foo\n', shut: 'foo\n' })
  await chmod(join(root, 'shut'), 0)
  await asNobody(root, async () => {
    const { value, text } = await grep(root, { pattern: 'foo' })
    expect(value).toMatchObject({ total: 1, files: [{ path: 'open' }], problems: ['shut: Permission denied'] })
    expect(text).toContain('shut: Permission denied')
  })
})

test('nothing found is not a failure, and an empty folder is no problem', async () => {
  const root = await tempFolder()
  const { value, text } = await grep(root, { pattern: 'foo' })
  expect(value).toMatchObject({ files: [], total: 0, truncated: false, problems: [] })
  expect(text).toMatch(/^\[0 matching lines: nothing in \. fits "foo"/)
})

test('the cards show the pattern and the matches by file', async () => {
  const root = await tempFolder({ 'a.ts': `foo\n${'x'.repeat(900)}foo\n` })
  expect(grepTool({ root }).presentCall?.({ pattern: 'foo', path: 'src' })).toEqual({
    card: 'generic',
    kind: 'search',
    title: 'foo in src',
  })
  const { view } = await grep(root, { pattern: 'foo' })
  expect(view).toMatchObject({
    card: 'search',
    shape: 'matches',
    title: 'foo',
    total: 2,
    truncated: false,
    files: [{ path: 'a.ts', matches: [{ lineNumber: 1, line: 'foo' }, { lineNumber: 2 }] }],
  })
})
