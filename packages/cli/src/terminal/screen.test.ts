import { Writable } from 'node:stream'
import { createLatch } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import type { CliIo } from '../cli-io.ts'
import { Screen } from './screen.ts'

/** A screen whose two streams are one terminal, and what was written to it. */
function screen({ tty = true, columns = 80, env = {} }: { tty?: boolean; columns?: number; env?: Record<string, string> } = {}) {
  let written = ''
  const stream = () =>
    Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          written += chunk
          done()
        },
      }),
      { isTTY: tty, columns },
    )
  const io = { stdout: stream(), stderr: stream(), env: { NO_COLOR: '1', ...env } } as unknown as CliIo
  return { screen: new Screen(io), written: () => written }
}

const CLEAR = '\r\u001b[K'

test('the status line is cleared before anything is written, and stands below it again', () => {
  const { screen: on, written } = screen()
  on.status('running: grep')
  on.line('✓ read')
  on.status('')
  expect(written()).toBe(`running: grep${CLEAR}✓ read\nrunning: grep${CLEAR}`)
})

test('a text that comes in pieces is one text, and no status falls into it', () => {
  const { screen: on, written } = screen()
  on.status('asking')
  on.say('Hel')
  on.status('still asking')
  on.say('lo')
  on.line('✓ read')
  expect(written()).toBe(`asking${CLEAR}Hello\n✓ read\nstill asking`)
})

test.each([{ tty: false }, { env: { CI: 'true' } }, { env: { TERM: 'dumb' } }])(
  'without a terminal to write over there is no status line: %j',
  (where) => {
    const { screen: on, written } = screen(where)
    on.status('running: grep')
    on.line('✓ read')
    expect(written()).toBe('✓ read\n')
  },
)

test('the status fits the terminal, whatever its letters', () => {
  const { screen: on, written } = screen({ columns: 12 })
  on.status('读取文件中的内容')
  expect(written()).toBe('读取文件中…')
})

test('while a person is asked nothing is written; after, everything is, in order', async () => {
  const { screen: on, written } = screen()
  const answered = createLatch<string>()
  on.status('running: a')
  const answer = on.whileAsking(() => answered.opened)
  on.line('one')
  on.say('two')
  on.status('running: b')
  expect(written()).toBe(`running: a${CLEAR}`)
  answered.open('yes')
  expect(await answer).toBe('yes')
  expect(written()).toBe(`running: a${CLEAR}one\ntwo`)
})

test('what is said cannot steer the terminal', () => {
  const { screen: on, written } = screen()
  on.say('\u001b[2J')
  on.status('\u001b]0;x\u0007\nb')
  expect(written()).toBe('\\u{1b}[2J')
})
