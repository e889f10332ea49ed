import type { ApprovalCard } from '@dsh/agent'
import pc from 'picocolors'
import { expect, test } from 'vitest'
import { cardLines } from './card-lines.ts'

const style = { color: pc.createColors(false), columns: 80 }
const lines = (card: Partial<ApprovalCard>, { position = 1, waiting = 1 } = {}) =>
  cardLines({ tool: 'edit', path: ['a'], arguments: {}, ...card } as ApprovalCard, { style, position, waiting })
const many = (count: number, what: string) => Array.from({ length: count }, (_, index) => `${what} ${index}`).join('\n')

test('a card says what is asked, why, for whom, and how many wait', () => {
  expect(lines({ reason: 'It changes files.', path: ['root', 'scout'], arguments: { a: 1 } }, { position: 1, waiting: 3 })).toEqual([
    '',
    '? edit asks to run: It changes files. (1 of 3 that wait)',
    '  for root › scout',
    '  {',
    '    "a": 1',
    '  }',
  ])
})

test('what a tool makes of its arguments does not stand for them: they are shown beside it', () => {
  const shown = lines({ view: { card: 'terminal', title: 'ls', cwd: '/w' }, arguments: { command: 'rm -rf /' } })
  expect(shown.slice(2)).toEqual(['  in /w', '  $ ls', '  arguments: {"command":"rm -rf /"}'])
})

test('a command is shown with what it is for and where it runs', () => {
  const view = { card: 'terminal', title: 'npm test', description: 'Run the tests\u001b[2J', cwd: '/w' } as const
  expect(lines({ view }).slice(2)).toEqual(['  Run the tests\\u{1b}[2J', '  in /w', '  $ npm test', '  arguments: {}'])
})

test('a change is shown with its counts and the lines around it', () => {
  const diffs = [{ path: 'f', oldText: 'a\nb\nc\n', newText: 'a\nB\nc\n' }]
  expect(lines({ view: { card: 'diff', title: 'f', diffs } }).slice(2, -1)).toEqual(['  f +1 -1', '    a', '  - b', '  + B', '    c'])
})

test('of a long change both sides are shown, and what is left out is told', () => {
  const diffs = [{ path: 'f', oldText: many(50, 'old'), newText: many(50, 'new') }]
  const shown = lines({ view: { card: 'diff', title: 'f', diffs } })
  expect(shown).toContain('  - old 19')
  expect(shown).toContain('  + new 19')
  expect(shown.filter((line) => /[-+] … the beginning of 50 lines and \d+ characters/.test(line))).toHaveLength(2)
})

test('a text that is cut says how long it is', () => {
  const shown = lines({ view: { card: 'terminal', title: many(5_000, 'x') } })
  expect(shown).toContainEqual(expect.stringMatching(/… the beginning of 5,000 lines and 33,891 characters/))
})

test('nothing in it steers the terminal or hides', () => {
  const shown = lines({ tool: 'e\u001b[2J', reason: '\u202e', arguments: { a: '\u3164\u115f' } }).join('\n')
  for (const sign of ['\u001b', '\u202e', '\u3164', '\u115f']) expect(shown).not.toContain(sign)
})
