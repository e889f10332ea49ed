import { PassThrough, Writable } from 'node:stream'
import type { ApprovalRequest } from '@dsh/tools/ports'
import { createLatch } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import type { CliIo } from '../cli-io.ts'
import { Approver } from './approver.ts'

function terminal() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  let text = ''
  let heard = createLatch()
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk)
      if (text.endsWith('reason] ')) heard.open()
      done()
    },
  })
  const io = { stdin, stderr: Object.assign(stderr, { isTTY: true }) } as unknown as CliIo
  const asked = async () => {
    await heard.opened
    heard = createLatch()
  }
  return { stdin, approver: new Approver(io, 'ask'), asked, text: () => text }
}

function ask(name: string, args: unknown = {}, signal = new AbortController().signal): ApprovalRequest {
  return { exec: { name, arguments: args } as ApprovalRequest['exec'], signal }
}

test('questions are put one at a time, in the order they came', async () => {
  const { stdin, approver, asked, text } = terminal()
  const first = approver.request(ask('first'))
  const second = approver.request(ask('second'))
  await asked()
  expect(text()).toContain('first asks')
  expect(text()).not.toContain('second asks')
  stdin.write('y\n')
  expect(await first).toEqual({ outcome: 'allowed-once' })
  await asked()
  stdin.write('n\n')
  expect(await second).toEqual({ outcome: 'rejected' })
})

test('what is printed while a question is open waits for its answer', async () => {
  const { stdin, approver, asked } = terminal()
  const printed: string[] = []
  approver.print(() => printed.push('before'))
  const answer = approver.request(ask('first'))
  await asked()
  approver.print(() => printed.push('meanwhile'))
  expect(printed).toEqual(['before'])
  stdin.write('y\n')
  await answer
  expect(printed).toEqual(['before', 'meanwhile'])
})

test('a signal withdraws the question, and one that has fired is not asked about', async () => {
  const { stdin, approver, asked, text } = terminal()
  const caller = new AbortController()
  const answer = approver.request(ask('first', {}, caller.signal))
  const later = approver.request(ask('later', {}, caller.signal))
  await asked()
  caller.abort()
  expect(await answer).toEqual({ outcome: 'cancelled' })
  expect(await later).toEqual({ outcome: 'cancelled' })
  expect(text()).toContain('(withdrawn)')
  expect(text()).not.toContain('later asks')
  const next = approver.request(ask('next'))
  await asked()
  stdin.write('yes\n')
  expect(await next).toEqual({ outcome: 'allowed-once' })
})

test.each([
  ['y', { outcome: 'allowed-once' }],
  [' YES ', { outcome: 'allowed-once' }],
  ['', { outcome: 'rejected' }],
  ['n', { outcome: 'rejected' }],
  ['no', { outcome: 'rejected' }],
  ['n, use the other file', { outcome: 'rejected', note: 'use the other file' }],
  ['not today', { outcome: 'rejected', note: 'not today' }],
  ['yes but read only', { outcome: 'rejected', note: 'yes but read only' }],
])('%j is %j', async (typed, expected) => {
  const { stdin, approver, asked } = terminal()
  const answer = approver.request(ask('first'))
  await asked()
  stdin.write(`${typed}\n`)
  expect(await answer).toEqual(expected)
})

test('arguments are bounded, saying so, and cannot steer the terminal', async () => {
  const { stdin, approver, asked, text } = terminal()
  const answer = approver.request(ask('first\u001b[2J', { text: `\u202e${'😀'.repeat(3_000)}` }))
  await asked()
  stdin.write('n\n')
  await answer
  expect(text()).toMatch(/the first 2000 of 60\d\d characters/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
  expect(text()).not.toMatch(/[\u001b\u202e\ufffd]/)
})
