import type { ToolExecutionResult } from '@dsh/tools'
import pc from 'picocolors'
import { expect, test } from 'vitest'
import { textWidth } from '../text/width.ts'
import { resultLine } from './result-line.ts'

const plain = (columns?: number) => ({ color: pc.createColors(false), columns })
const text = (value: string): ToolExecutionResult => ({ isError: false, value: null, content: [{ type: 'text', text: value }] })
const failed = (message: string): ToolExecutionResult => ({
  isError: true,
  error: { message, info: { name: 'E', code: 'FILE_NOT_FOUND' } },
  content: [{ type: 'text', text: `Error: ${message}` }],
})
const titled = (title: string) => ({ call: { card: 'generic', title } })

function line(result: ToolExecutionResult, title: string, columns?: number, ranMs: number | undefined = 12.4): string {
  return resultLine({ name: 'read', cards: titled(title), result, ranMs }, plain(columns))
}

test('says what a call was about, what came of it and how long it ran', () => {
  expect(line(text('done'), 'Read a.txt')).toBe('✓ read Read a.txt · done · 12 ms')
  expect(resultLine({ name: 'x', cards: {}, result: text('done'), ranMs: undefined }, plain())).toBe('✓ x done')
})

test('of a change it says how many lines came and went: the context around it is neither', () => {
  const diff = (...texts: [path: string, oldText: string | null, newText: string][]) =>
    texts.map(([path, oldText, newText]) => ({ path, oldText, newText }))
  const changed = (diffs: object) =>
    resultLine({ name: 'edit', cards: { result: { card: 'diff', diffs } }, result: text(''), ranMs: 1 }, plain())
  expect(changed(diff(['a', 'x\ny\nz\n', 'x\nY\nYY\nz\n']))).toBe('✓ edit +2 -1 · 1 ms')
  expect(changed(diff(['a', null, 'x\ny']))).toBe('✓ edit +2 -0 · 1 ms')
  expect(changed(diff(['a', 'x\nx\n', 'x\n'], ['a', 'p\n', '']))).toBe('✓ edit +0 -2 · 1 ms')
  expect(changed(diff(['a', 'x', 'y'], ['b', 'x', 'y']))).toBe('✓ edit +2 -2 in 2 files · 1 ms')
})

test('a code that a log holds cannot steer a terminal either', () => {
  const result = { ...failed('no'), error: { message: 'no', info: { name: 'E', code: 'A\u001b[2J' } } } as ToolExecutionResult
  expect(line(result, '')).toBe('✗ read A\\u{1b}[2J no · 12 ms')
})

test('a title that is too long gives way to what came of the call', () => {
  expect(line(text('lines 1-2 of 2'), `Read ${'a'.repeat(100)}`, 50)).toBe('✓ read Read aaaaaaaaaaaa… · lines 1-2 of 2 · 12 ms')
  expect(line(text('lines 1-2 of 2'), `Read ${'文'.repeat(100)}`, 50)).toBe('✓ read Read 文文文文文文… · lines 1-2 of 2 · 12 ms')
})

test('a message that is too long leaves the title a third, or none where that would say nothing', () => {
  const message = 'There is no file of that name. Use glob to find it.'
  expect(line(failed(message), 'Read missing-file.txt', 80)).toBe(
    '✗ read FILE_NOT_FOUND Read missing-f… · There is no file of that name. … · 12 ms',
  )
  expect(line(failed(message), 'Read missing-file.txt', 40)).toBe('✗ read FILE_NOT_FOUND There is … · 12 ms')
})

test.each([1, 8, 20, 33, 40, 57, 80, 200])('never takes more than %i columns, or the least it needs', (columns) => {
  for (const title of ['', 'Read a.txt', '文件'.repeat(40), 'x'.repeat(300)]) {
    for (const result of [text('ok'), text('中文'.repeat(99)), failed('y'.repeat(300))]) {
      expect(textWidth(line(result, title, columns))).toBeLessThanOrEqual(Math.max(12, columns))
    }
  }
})
