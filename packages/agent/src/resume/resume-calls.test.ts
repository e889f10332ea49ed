import { digestOf } from '@dsh/tools/executor'
import { expect, test } from 'vitest'
import { callEntry, type Entry, logOf } from '../../test/log-of.ts'
import { sessionRuntime, tool } from '../../test/tools.ts'
import { deriveMessages } from '../history/derive-messages.ts'
import { importSession } from '../log/import-session.ts'
import { createMemoryStore } from '../log/memory-store.ts'
import { openSession } from '../log/open-session.ts'
import type { Session } from '../log/session.ts'
import { resumeCalls } from './resume-calls.ts'

const { signal } = new AbortController()

/** A session whose process was killed with these events in its log. */
async function reopened(...entries: Entry[]): Promise<Session> {
  const store = createMemoryStore()
  await importSession(store, logOf(['session/start', { key: 'k' }], ...entries), 's')
  return openSession(store, 's')
}

/** The `tool/start` of a definition. */
async function started(call: number, definition: ReturnType<typeof tool>, attempt = 1): Promise<Entry> {
  const { effects = 'unknown' } = definition
  return ['tool/start', { call, attempt, effects, definition: await digestOf(definition) }]
}

test('runs the calls again that may, under the key they had, and logs their results where they belong', async () => {
  const seen: unknown[] = []
  const a = tool('a', async (_args, exec) => seen.push([exec.callSeq, exec.idempotencyKey]), { effects: 'idempotent' })
  const b = tool('b', async () => 'B', { effects: 'none' })
  const session = await reopened(callEntry('a'), callEntry('b'), await started(2, a), await started(3, b))
  const { runtime, agent } = sessionRuntime(session, a, b)
  const resumed = await resumeCalls(session, { tools: runtime.tools, agent, signal })
  expect(seen).toEqual([[2, 'k:2']])
  expect(resumed.map(({ call, name, result }) => [call, name, result.isError])).toEqual([
    [2, 'a', false],
    [3, 'b', false],
  ])
  expect(session.events.filter(({ type }) => type === 'tool/call')).toHaveLength(2)
  const starts = session.events.filter(({ type }) => type === 'tool/start').map(({ data }) => data)
  expect(starts.slice(2)).toMatchObject([
    { call: 2, attempt: 2 },
    { call: 3, attempt: 2 },
  ])
  expect(session.openCalls).toEqual([])
  expect(deriveMessages(session.events)).toMatchObject([
    { role: 'assistant' },
    { results: [{ content: [{ text: '1' }] }, { content: [{ text: '"B"' }] }] },
  ])
})

test('a tool that has changed since, or is gone, is not run: its call is closed, and the model told', async () => {
  let ran = false
  const before = tool('a', async () => 1, { effects: 'idempotent' })
  const after = tool('a', async () => (ran = true), { effects: 'idempotent', description: 'Another promise.' })
  const gone = tool('gone', async () => 1, { effects: 'none' })
  const session = await reopened(callEntry('a'), callEntry('gone'), await started(2, before), await started(3, gone))
  const { runtime, agent } = sessionRuntime(session, after)
  expect(await resumeCalls(session, { tools: runtime.tools, agent, signal })).toEqual([])
  expect([ran, session.openCalls]).toEqual([false, []])
  expect(JSON.stringify(deriveMessages(session.events))).toContain('the tool is not what it was then')
})

test('policies decide anew: a guard may refuse what ran before', async () => {
  let ran = false
  const a = tool('a', async () => (ran = true), { effects: 'none' })
  const session = await reopened(callEntry('a'), await started(2, a))
  const { runtime, agent } = sessionRuntime(session, a)
  runtime.tools.guard(() => 'not any more')
  const [resumed] = await resumeCalls(session, { tools: runtime.tools, agent, signal })
  expect([resumed?.result.error?.info?.code, ran]).toEqual(['GUARD_DENIED', false])
})

test('a session of another agent is refused', async () => {
  const session = await reopened()
  const { runtime } = sessionRuntime(session)
  await expect(resumeCalls(session, { tools: runtime.tools, agent: { id: 'other' }, signal })).rejects.toThrow(
    'other does not keep the session s',
  )
})

test('the calls of a session are run again once: a second try meanwhile is refused', async () => {
  const bodies: number[] = []
  const a = tool('a', async () => bodies.push(1), { effects: 'idempotent' })
  const session = await reopened(callEntry('a'), await started(2, a))
  const { runtime, agent } = sessionRuntime(session, a)
  const first = resumeCalls(session, { tools: runtime.tools, agent, signal })
  await expect(resumeCalls(session, { tools: runtime.tools, agent, signal })).rejects.toThrow('are being run again already')
  await first
  expect(bodies).toEqual([1])
  expect(session.events.filter(({ type }) => type === 'tool/result')).toHaveLength(1)
})
