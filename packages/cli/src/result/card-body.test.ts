import pc from 'picocolors'
import { expect, test } from 'vitest'
import { textWidth } from '../text/width.ts'
import { cardBody } from './card-body.ts'

const body = (card: unknown, columns?: number) => cardBody(card, { color: pc.createColors(false), columns })
const many = (count: number, what: string) => Array.from({ length: count }, (_, index) => `${what} ${index}`).join('\n')
const diff = (...diffs: readonly { path?: string; oldText: string | null; newText: string }[]) => ({
  card: 'diff',
  diffs: diffs.map((each) => ({ path: 'f.ts', ...each })),
})

test('an applied change is shown with its counts and two lines around it', () => {
  expect(body(diff({ oldText: '1\n2\n3\nold\n4\n5\n6\n', newText: '1\n2\n3\nnew\nmore\n4\n5\n6\n' }))).toEqual([
    '  f.ts +2 -1',
    '    2',
    '    3',
    '  - old',
    '  + new',
    '  + more',
    '    4',
    '    5',
  ])
})

test('changes of one file that follow each other share a path and its counts', () => {
  const change = { oldText: 'a', newText: 'b' }
  expect(body(diff(change, change, { ...change, path: 'g.ts', oldText: null }))).toEqual([
    '  f.ts +2 -2',
    '  - a',
    '  + b',
    '  ⋯',
    '  - a',
    '  + b',
    '  g.ts (a new file) +1 -0',
    '  + b',
  ])
})

test('of a long change both sides are shown, and how many lines and changes are left out', () => {
  const shown = body(diff(...Array.from({ length: 5 }, () => ({ oldText: many(20, 'old'), newText: many(7, 'new') }))))
  expect(shown.slice(0, 15)).toEqual([
    '  f.ts +35 -100',
    ...Array.from({ length: 6 }, (_, index) => `  - old ${index}`),
    '  - … 14 more lines',
    ...Array.from({ length: 6 }, (_, index) => `  + new ${index}`),
    '  + … 1 more line',
  ])
  expect(shown.at(-1)).toBe('  … 2 more changes')
  expect(shown.filter((line) => line === '  ⋯')).toHaveLength(2)
})

test('line ends that both texts have are not shown; those that change are', () => {
  expect(body(diff({ oldText: 'a\r\nb\r\n', newText: 'a\r\nc\r\n' }))).toEqual(['  f.ts +1 -1', '    a', '  - b', '  + c'])
  expect(body(diff({ oldText: 'a\r\n', newText: 'a\n' }))).toEqual(['  f.ts +1 -1', '  - a\\u{d}', '  + a'])
  expect(body(diff({ oldText: 'a', newText: 'a\n' }))).toEqual(['  f.ts only the line break at its end', '    a'])
})

test('the end of what a command wrote is shown, and how it ended when that was not well', () => {
  expect(body({ card: 'terminal', output: `${many(13, 'line')}\n`, exitCode: 0 })).toEqual([
    '  … 3 more lines above',
    ...Array.from({ length: 10 }, (_, index) => `  line ${index + 3}`),
  ])
  expect(body({ card: 'terminal', output: 'no\r\n', exitCode: 2 })).toEqual(['  no', '  exit 2'])
  expect(body({ card: 'terminal', output: '', signal: 'SIGKILL' })).toEqual(['  ended by SIGKILL'])
})

test.each([14, 20, 40])('no line takes more than %i columns', (columns) => {
  const wide = `${'文件'.repeat(60)}\n${'x'.repeat(5_000)}`
  for (const card of [diff({ path: '路'.repeat(40), oldText: '', newText: wide }), { card: 'terminal', output: wide }]) {
    const lines = body(card, columns)
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns)
  }
})

test('nothing in it steers the terminal or hides', () => {
  const bad = '\u001b[2J\u001b]0;x\u0007\u202e\u009b1m\u0008'
  const all = [diff({ path: bad, oldText: bad, newText: `${bad}!` }), { card: 'terminal', output: bad, signal: bad }].flatMap((card) =>
    body(card),
  )
  for (const sign of ['\u001b', '\u0007', '\u202e', '\u009b', '\u0008']) expect(all.join('\n')).not.toContain(sign)
  expect(body({ card: 'terminal', output: '\u001b[32mok\u001b[0m' })).toEqual(['  ok'])
})

test('colours tell what came from what went', () => {
  const shown = cardBody(diff({ oldText: 'a', newText: 'b' }), { color: pc.createColors(true), columns: 80 })
  expect(shown).toContain('  \u001b[31m- a\u001b[39m')
  expect(shown).toContain('  \u001b[32m+ b\u001b[39m')
})

test.each([
  undefined,
  null,
  'x',
  { card: 'diff' },
  { card: 'diff', diffs: [{ path: 1 }] },
  { card: 'terminal', output: 3 },
  { card: 'read' },
])('a card that has no body, or is unusable, is left to its line: %j', (card) => expect(body(card)).toEqual([]))
