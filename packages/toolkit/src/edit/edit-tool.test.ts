import { writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRuntime } from '@dsh/tools'
import { describe, expect, test } from 'vitest'
import { runBody, runTool } from '../../test/run-tool.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import { type EditValue, editTool, fileTools } from '../index.ts'
import type { Edit } from './apply-edits.ts'

async function edit(content: string | Uint8Array, ...edits: Edit[]) {
  const root = await tempFolder({ f: content })
  const ran = await runTool<EditValue>(editTool({ root }), { path: 'f', edits })
  return { ...ran, now: await readFile(join(root, 'f')), names: await readdir(root) }
}
const to = (oldText: string, newText: string, replaceAll?: boolean): Edit => ({ oldText, newText, ...(replaceAll && { replaceAll }) })

test('replaces a text that stands there once, and says where and with what around it', async () => {
  const { value, text, view, now, names } = await edit('a\nb\nc\nd\ne\nf\n', to('e\n', 'E\n'))
  expect(now.toString()).toBe('a\nb\nc\nd\nE\nf\n')
  const hunk = { line: 2, oldText: 'b\nc\nd\ne\nf\n', newText: 'b\nc\nd\nE\nf\n' }
  expect(value).toEqual({ path: 'f', bytes: 12, edits: [{ line: 5, replacements: 1 }], hunks: [hunk] })
  expect(text).toBe('Changed f: line 5.')
  expect(view).toEqual({ card: 'diff', title: 'f', diffs: [{ path: 'f', oldText: hunk.oldText, newText: hunk.newText }] })
  expect(names).toEqual(['f'])
})

test('applies edits one after another, each to what the one before left', async () => {
  const { value, now } = await edit('one two\n', to('one', 'two'), to('two two', 'three'), to('three', ''))
  expect(now.toString()).toBe('\n')
  expect(value.edits).toHaveLength(3)
})

test('replaces every match when told to', async () => {
  const { value, now } = await edit('aaa b\na\n', to('a', 'xx', true))
  expect(now.toString()).toBe('xxxxxx b\nxx\n')
  expect(value.edits).toEqual([{ line: 1, replacements: 4 }])
})

test('takes newText as it is: signs that mean something to a replacement are text', async () => {
  expect((await edit('a', to('a', "$& $1 $' \\n"))).now.toString()).toBe("$& $1 $' \\n")
})

describe('line ends', () => {
  test.each([
    ['CRLF, asked with LF', 'a\r\nb\r\nc\r\n', to('a\nb', 'x\ny\nz'), 'x\r\ny\r\nz\r\nc\r\n'],
    ['CRLF, asked with CRLF', 'a\r\nb\r\n', to('a\r\nb', 'x\r\ny'), 'x\r\ny\r\n'],
    ['LF, asked with CRLF', 'a\nb\n', to('a\r\nb', 'x\r\ny'), 'x\ny\n'],
    ['mixed: lines that are not touched stay as they are', 'a\r\nb\nc\r\nd\n', to('b', 'x\ny'), 'a\r\nx\ny\nc\r\nd\n'],
    ['mixed: new lines end as the line they are in', 'a\r\nb\nc\r\nd\n', to('c', 'x\ny'), 'a\r\nb\nx\r\ny\r\nd\n'],
    ['a break alone', 'a\r\nb\r\n', to('\n', '', true), 'ab'],
    ['the last line of a CRLF file without a break', 'a\r\nb', to('b', 'x\ny'), 'a\r\nx\r\ny'],
    ['a lone CR is no line end', 'a\rb\r\nc', to('a\rb', 'x'), 'x\r\nc'],
  ])('%s', async (_name, content, change, now) => {
    expect((await edit(content, change)).now.toString()).toBe(now)
  })
})

test('a byte-order mark and an encoding are kept', async () => {
  expect((await edit('\ufeffa b', to('a', 'é'))).now.toString()).toBe('\ufeffé b')
  expect((await edit(Buffer.from('\ufeffa b', 'utf16le'), to('a', 'é'))).now.toString('utf16le')).toBe('\ufeffé b')
  expect((await edit(Buffer.from('\ufeffa b', 'utf16le').swap16(), to('a', 'é'))).now.swap16().toString('utf16le')).toBe('\ufeffé b')
  expect((await edit(Buffer.from('caf\xe9 x', 'latin1'), to('café', 'thé'))).now.toString('latin1')).toBe('th\xe9 x')
})

describe('is refused, and nothing is changed:', () => {
  const numbered = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n')
  test.each<[string, string, Edit[], string, RegExp]>([
    ['no match', 'abc', [to('x', 'y')], 'NO_MATCH', /oldText does not stand in the file\. Read the file/],
    ['the second edit of two', 'abc', [to('a', 'b'), to('x', 'y')], 'NO_MATCH', /oldText of edit 2 of 2/],
    ['a text an edit before has changed', 'abc', [to('a', 'b'), to('ab', 'y')], 'NO_MATCH', /An edit before it/],
    ['line numbers as read shows them', numbered, [to('3\tline 3\n4\tline 4', 'x')], 'NO_MATCH', /line.* numbers, as read shows/],
    ['escapes for characters', 'say "hi"\nho', [to('say \\"hi\\"\\nho', 'x')], 'NO_MATCH', /escapes/],
    [
      'other white space',
      'if (a) {\n\treturn b\n}\n',
      [to('if (a) {\n  return b\n}', 'x')],
      'NO_MATCH',
      /line 2 in white space alone; that line is "\\treturn b"/,
    ],
    [
      'a line that is another',
      `${numbered}\nthe end of it`,
      [to('line 19\nline 2x\nthe end of it', 'x')],
      'NO_MATCH',
      /nearest place is line 21, but line 20 is "line 20"/,
    ],
    ['several matches', numbered, [to('line 1', 'x')], 'SEVERAL_MATCHES', /11 times \(lines 1, 10, 11, 12, 13, …\)/],
    ['matches that overlap', 'aaa', [to('aa', 'x')], 'SEVERAL_MATCHES', /2 times \(line 1\)/],
    ['very many matches', 'a'.repeat(1_000), [to('a', 'x')], 'SEVERAL_MATCHES', /more than 99 times/],
    ['an empty text', 'abc', [to('', 'y')], 'EMPTY_OLD_TEXT', /use write/],
    ['the same text', 'abc', [to('a', 'a')], 'NO_CHANGE', /the same/],
    ['edits that undo each other', 'abc', [to('a', 'x'), to('x', 'a')], 'NO_CHANGE', /All edits together/],
    ['a character the encoding does not have', 'abc', [to('a', '\ud800')], 'UNENCODABLE_TEXT', /U\+D800/],
  ])('%s', async (_name, content, edits, code, message) => {
    const { error, now, names } = await edit(content, ...edits)
    expect(error).toEqual({ code, message: expect.stringMatching(message) })
    expect(error?.message).toMatch(/Nothing was changed\.$/)
    expect(now.toString()).toBe(content)
    expect(names).toEqual(['f'])
  })
})

test('a file that is missing is said so, with the nearest name', async () => {
  const root = await tempFolder({ 'notes.md': 'x' })
  const { error } = await runTool(editTool({ root }), { path: 'note.md', edits: [to('x', 'y')] })
  expect(error).toMatchObject({ code: 'FILE_NOT_FOUND', message: expect.stringContaining('notes.md') })
})

test('edits of one file in one batch all land; one of them that finds its text gone says why', async () => {
  const root = await tempFolder({ f: 'one\ntwo\nthree\n' })
  const runtime = createRuntime()
  await runtime.plugin(fileTools, { root })
  const changes = [to('one', '1'), to('two', '2'), to('three', '3'), to('one', 'again')]
  const calls = changes.map(
    (change) => ({ type: 'tool-call', name: 'edit', arguments: JSON.stringify({ path: 'f', edits: [change] }) }) as const,
  )
  const { results } = await runtime.tools.execute({ calls, signal: new AbortController().signal })
  expect(await readFile(join(root, 'f'), 'utf8')).toBe('1\n2\n3\n')
  expect(results.map(({ result }) => (result.isError ? result.error.info?.code : 'done'))).toEqual(['done', 'done', 'done', 'NO_MATCH'])
})

test('a file that somebody else writes while it is edited is left to them', async () => {
  const root = await tempFolder({ f: 'mine' })
  const controller = new AbortController()
  let checks = 0
  controller.signal.throwIfAborted = () => {
    checks++ // the last look at the signal is after the new content is on the disk and before it takes the name
    if (checks === 2) writeFileSync(join(root, 'f'), 'theirs')
  }
  const body = runBody(editTool({ root }), { path: 'f', edits: [to('mine', 'ours')] }, controller.signal)
  await expect(body).rejects.toMatchObject({ code: 'FILE_CHANGED' })
  expect(await readFile(join(root, 'f'), 'utf8')).toBe('theirs')
  expect(await readdir(root)).toEqual(['f'])
})
