import { PassThrough } from 'node:stream'
import type { ApprovalCard } from '@dsh/agent'
import { expect, test } from 'vitest'
import type { CliIo } from '../cli-io.ts'
import { Screen } from './screen.ts'
import { TerminalApprover } from './terminal-approver.ts'

const card: ApprovalCard = {
  id: 'a1',
  digest: 'd',
  tool: 'edit',
  callId: 'c',
  arguments: {},
  argumentsHash: 'h',
  definition: 'f',
  path: ['s'],
  askedAt: 0,
}

/** An approver whose terminal nobody types at, and what is written to it. */
function terminal() {
  let written = ''
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const question = new Promise<void>((resolve) => {
    stderr.on('data', (chunk) => {
      written += chunk
      if (written.includes('Allow it?')) resolve()
    })
  })
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  const io = { stdin, stdout: new PassThrough(), stderr, env: { NO_COLOR: '1' } } as unknown as CliIo
  return { approver: new TerminalApprover(io, new Screen(io)), question, written: () => written }
}

test('a question that is withdrawn before it stands there is never put', async () => {
  const { approver, written } = terminal()
  const controller = new AbortController()
  const asked = approver.ask(card, { signal: controller.signal, position: 1, waiting: 0 })
  controller.abort()
  expect(await asked).toEqual({ outcome: 'cancelled' })
  expect(written()).toBe('')
})

test('a question that is withdrawn while it stands there is no answer', async () => {
  const { approver, question } = terminal()
  const controller = new AbortController()
  const asked = approver.ask(card, { signal: controller.signal, position: 1, waiting: 0 })
  await question
  controller.abort()
  expect(await asked).toEqual({ outcome: 'cancelled' })
})
