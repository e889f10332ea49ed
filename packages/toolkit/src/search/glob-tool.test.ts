import { chmod, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asNobody } from '../../test/as-nobody.ts'
import { childCommands } from '../../test/children.ts'
import { runBody, runTool } from '../../test/run-tool.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import type { FileToolsLimits } from '../config.ts'
import { type GlobValue, globTool } from './glob-tool.ts'

const glob = (root: string, args: object, limits: FileToolsLimits = {}) => runTool<GlobValue>(globTool({ root, limits }), args)

const paths = async (root: string, args: object) => (await glob(root, args)).value.paths

test('matching files come sorted, relative to the root, with their number', async () => {
  const root = await tempFolder({ 'src/b.ts': '', 'src/a.ts': '', 'a.ts': '', 'a.js': '' })
  const { value, text } = await glob(root, { pattern: '*.ts' })
  expect(value).toEqual({ path: '.', paths: ['a.ts', 'src/a.ts', 'src/b.ts'], total: 3, truncated: false, problems: [] })
  expect(text).toBe('a.ts\nsrc/a.ts\nsrc/b.ts\n[3 files]')
})

test('with a path, the pattern begins there, and what is found is still relative to the root', async () => {
  const root = await tempFolder({ 'src/deep/a.ts': '', 'src/b.ts': '', 'deep/c.ts': '' })
  expect(await paths(root, { pattern: 'deep/*.ts', path: 'src' })).toEqual(['src/deep/a.ts'])
  expect(await paths(root, { pattern: '*.ts', path: join(root, 'src') })).toEqual(['src/b.ts', 'src/deep/a.ts'])
})

test('a pattern that begins with the absolute path of the searched folder means the same without it', async () => {
  const root = await tempFolder({ 'src/a.ts': '', 'b.ts': '' })
  expect(await paths(root, { pattern: `${root}/src/*.ts` })).toEqual(['src/a.ts'])
  expect(await paths(root, { pattern: `${root}/src/*.ts`, path: 'src' })).toEqual(['src/a.ts'])
})

test('100 paths are shown: always the first ones, and how many there are is said', async () => {
  const names = Array.from({ length: 250 }, (_, n) => `f${String(n).padStart(3, '0')}.txt`)
  const root = await tempFolder(Object.fromEntries(names.map((name) => [name, ''])))
  const { value, text, view } = await glob(root, { pattern: '*.txt' })
  expect(value).toMatchObject({ total: 250, truncated: true, paths: names.slice(0, 100) })
  expect(text.split('\n').at(-1)).toBe('[100 of 250 files shown: narrow the pattern or the path to see the others]')
  expect(view).toEqual({ card: 'search', shape: 'paths', title: '*.txt', paths: names.slice(0, 100), total: 250, truncated: true })
})

test('.gitignore counts outside a git repository, in every folder, and also for a pattern that fits the ignored file', async () => {
  const root = await tempFolder({
    '.gitignore': 'node_modules/\n*.log\n',
    'a.log': '',
    'node_modules/x/index.ts': '',
    'src/.gitignore': 'gen.ts\n',
    'src/gen.ts': '',
    'src/a.ts': '',
  })
  expect(await paths(root, { pattern: '**' })).toEqual(['src/a.ts'])
  expect(await paths(root, { pattern: '*.log' })).toEqual([])
  expect(await paths(root, { pattern: '*' })).toEqual(['src/a.ts'])
})

test('an ignored or hidden folder that is named as path is searched', async () => {
  const root = await tempFolder({ '.gitignore': 'dist/\n', 'dist/a.js': '', '.github/w.yml': '' })
  expect(await paths(root, { pattern: '*.js', path: 'dist' })).toEqual(['dist/a.js'])
  expect(await paths(root, { pattern: '*.yml', path: '.github' })).toEqual(['.github/w.yml'])
})

test('hidden files are left out unless the pattern spells the dot', async () => {
  const root = await tempFolder({ '.env': '', '.github/w.yml': '', 'a.yml': '', '.git/config': '' })
  expect(await paths(root, { pattern: '**' })).toEqual(['a.yml'])
  expect(await paths(root, { pattern: '.env*' })).toEqual(['.env'])
  expect(await paths(root, { pattern: '.github/**/*.yml' })).toEqual(['.github/w.yml'])
  expect(await paths(root, { pattern: '{.github/*,*}.yml' })).toEqual(['.github/w.yml', 'a.yml'])
})

test('odd names are found and shown as one line each', async () => {
  const names = ['-rf.txt', '[x].txt', 'a b.txt', 'new\nline.txt', '中文.txt', '😀.txt']
  const root = await tempFolder(Object.fromEntries(names.map((name) => [name, ''])))
  const { value, text } = await glob(root, { pattern: '*.txt' })
  expect(value.paths).toEqual(names)
  expect(text.split('\n')[3]).toBe('"new\\nline.txt"')
})

test.each(['-*', '--files', '--help', '-e', "a'; touch pwned", '$(touch pwned)'])(
  'the pattern %j is a pattern, never a flag or a command',
  async (pattern) => {
    const root = await tempFolder({ 'a.txt': '', '-x': '' })
    const { value, error } = await glob(root, { pattern })
    expect(error).toBeUndefined()
    expect(value.paths).toEqual(pattern === '-*' ? ['-x'] : [])
  },
)

test.each(['-x', '--help', 'a b', '*', '😀'])('the folder %j is a folder, never a flag or a pattern', async (path) => {
  const root = await tempFolder({ [`${path}/a.txt`]: '', 'other/b.txt': '' })
  expect(await paths(root, { pattern: '*', path })).toEqual([`${path}/a.txt`])
})

test('nothing found is not a failure, and says where it looked', async () => {
  const root = await tempFolder({ 'a.txt': '' })
  const { text, value } = await glob(root, { pattern: '*.zig' })
  expect(value).toMatchObject({ paths: [], total: 0, truncated: false, problems: [] })
  expect(text).toMatch(/^\[0 files: nothing in \. fits "\*\.zig"/)
})

test('an empty folder is searched without a problem', async () => {
  const root = await tempFolder()
  expect((await glob(root, { pattern: '**' })).value).toMatchObject({ total: 0, problems: [] })
})

test('symbolic links are not followed, so nothing outside is listed', async () => {
  const outside = await tempFolder({ 'secret.txt': '' })
  const root = await tempFolder({ 'a.txt': '' })
  await symlink(outside, join(root, 'folder'))
  await symlink(join(outside, 'secret.txt'), join(root, 'b.txt'))
  expect(await paths(root, { pattern: '**' })).toEqual(['a.txt'])
  expect((await glob(root, { pattern: '**', path: 'folder' })).error?.code).toBe('OUTSIDE_WORKSPACE')
})

test('a file where a folder is needed, a missing folder and a broken pattern are refused', async () => {
  const root = await tempFolder({ 'src/a.ts': '' })
  expect((await glob(root, { pattern: '*', path: 'src/a.ts' })).error).toMatchObject({
    code: 'NOT_A_FOLDER',
    message: expect.stringContaining('read'),
  })
  expect((await glob(root, { pattern: '*', path: 'scr' })).error).toMatchObject({
    code: 'FILE_NOT_FOUND',
    message: expect.stringContaining('Did you mean src?'),
  })
  expect((await glob(root, { pattern: '[a' })).error?.code).toBe('INVALID_PATTERN')
})

test('a folder that may not be read is reported, and the others are still listed', async () => {
  const root = await tempFolder({ 'open/a.txt': '', 'shut/b.txt': '' })
  await chmod(join(root, 'shut'), 0)
  await asNobody(root, async () => {
    const { value, text } = await glob(root, { pattern: '*.txt' })
    expect(value).toMatchObject({ paths: ['open/a.txt'], problems: ['shut: Permission denied'] })
    expect(text).toContain('shut: Permission denied')
  })
  await chmod(join(root, 'shut'), 0o755)
})

test('a configuration of ripgrep in the environment changes nothing', async () => {
  const root = await tempFolder({ 'a.txt': '', rc: '--glob=!*.txt\n' })
  process.env['RIPGREP_CONFIG_PATH'] = join(root, 'rc')
  try {
    expect(await paths(root, { pattern: '*.txt' })).toEqual(['a.txt'])
  } finally {
    delete process.env['RIPGREP_CONFIG_PATH']
  }
})

test('a signal that has fired starts nothing', async () => {
  const root = await tempFolder()
  await mkdir(join(root, 'a'))
  await expect(runBody(globTool({ root }), { pattern: '**' }, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  expect(childCommands()).toEqual([])
})

test('the pending card says what is looked for and where', async () => {
  const root = await tempFolder()
  expect(globTool({ root }).presentCall?.({ pattern: '*.ts', path: 'src' })).toEqual({
    card: 'generic',
    kind: 'search',
    title: '*.ts in src',
  })
})
