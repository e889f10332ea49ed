import type { ContentBlock } from '@dsh/tools'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callEntry, type Entry, logOf, resultEntry, startEntry } from '../../test/log-of.ts'
import { isEvent, type SessionEvent } from '../log/event.ts'
import { repairOf } from '../log/repair.ts'
import { deriveMessages } from './derive-messages.ts'
import { History } from './history.ts'

const textOf = ([block]: readonly ContentBlock[]) => (block?.type === 'text' ? block.text : '')
const textBlock = (text: string) => ({ type: 'text', text }) as const
const user = (text: string): Entry => ['user/message', { source: { kind: 'person', name: 'p' }, content: [textBlock(text)] }]
const said = (text: string, step = 1): Entry => ['assistant/message', { turn: 1, step, content: [textBlock(text)] }]

/** An answer that asks for calls. */
const asks = (step: number, ...names: string[]): Entry => {
  const content = names.map((name) => ({ type: 'tool-call', callId: `id-${name}`, name, arguments: '{}' }) as const)
  return ['assistant/message', { turn: 1, step, content }]
}

/** The history in short: roles, texts, calls and their results. */
function short(...entries: Entry[]): unknown[] {
  return deriveMessages(logOf(...entries)).map((message) => {
    if (message.role === 'user') return `user: ${textOf(message.content)}`
    if (message.role === 'tool') return message.results.map(({ name, content }) => `${name}: ${textOf(content)}`)
    return message.content.map((block) =>
      block.type === 'tool-call' ? `${block.name}()` : block.type === 'text' ? block.text : block.type,
    )
  })
}

test('a step is what the model said with its calls, then their results in the order of the calls', () => {
  expect(
    short(user('hi'), said('let me see'), callEntry('a'), callEntry('b'), resultEntry(4, 'B'), resultEntry(3, 'A'), said('done', 2)),
  ).toEqual(['user: hi', ['let me see', 'a()', 'b()'], ['a: A', 'b: B'], ['done']])
})

test('the next step begins a message of its own, also without words', () => {
  expect(short(callEntry('a'), resultEntry(1, 'A'), callEntry('b', 2), resultEntry(3, 'B'))).toEqual([['a()'], ['a: A'], ['b()'], ['b: B']])
})

test('a call without a result is answered as a repair would answer it', () => {
  const log = logOf(callEntry('a'), callEntry('b'), startEntry(2, 'unknown'))
  const [, results] = deriveMessages(log)
  expect(results).toMatchObject({
    role: 'tool',
    results: [
      { seq: 1, isError: true },
      { seq: 2, isError: true },
    ],
  })
  expect(JSON.stringify(results)).toMatch(/was not started.*Verify what it did/)
})

test("the first result of a call counts, and a result of no call is nobody's", () => {
  expect(short(callEntry('a'), resultEntry(1, 'first'), resultEntry(1, 'second'), resultEntry(9, 'stray'))).toEqual([['a()'], ['a: first']])
})

test('equal call ids are two calls with two results', () => {
  expect(short(callEntry('a'), callEntry('a'), resultEntry(1, 'one'), resultEntry(2, 'two'))).toEqual([
    ['a()', 'a()'],
    ['a: one', 'a: two'],
  ])
})

test('contexts follow the results they came with, and what a person said meanwhile follows those', () => {
  const context = { source: { kind: 'plugin', name: 'p' }, content: [textBlock('note')] } as const
  const result: Entry = ['tool/result', { call: 1, callId: 'a', isError: false, content: [textBlock('A')], contexts: [context] }]
  expect(short(callEntry('a'), user('wait'), result, callEntry('b', 2), resultEntry(4, 'B'))).toEqual([
    ['a()'],
    ['a: A'],
    'user: note',
    'user: wait',
    ['b()'],
    ['b: B'],
  ])
})

test('a result that came after a crash and a message stands beside its call', () => {
  expect(short(callEntry('a'), startEntry(1, 'none'), user('still there?'), resultEntry(1, 'A'))).toEqual([
    ['a()'],
    ['a: A'],
    'user: still there?',
  ])
})

test('the calls of an answer are those that were logged after it, in its order; one that was never taken up says so', () => {
  expect(short(user('hi'), asks(1, 'a', 'b'), callEntry('a'), resultEntry(3, 'A'))).toEqual([
    'user: hi',
    ['a()', 'b()'],
    ['a: A', expect.stringMatching(/^b: Error: .*not started/)],
  ])
})

test('what a person says while the model is asked comes after its answer', () => {
  const start: Entry = ['step/start', { turn: 1, step: 1 }]
  const end: Entry = ['turn/end', { turn: 1, outcome: 'answered', steps: 1 }]
  expect(short(user('one'), start, user('two'), said('to one'), end, user('three'))).toEqual([
    'user: one',
    ['to one'],
    'user: two',
    'user: three',
  ])
})

test('a step that came to nothing leaves no message', () => {
  expect(short(user('one'), ['step/start', { turn: 1, step: 1 }], ['step/start', { turn: 1, step: 2 }], said('two', 2))).toEqual([
    'user: one',
    ['two'],
  ])
})

test('thoughts, and what a provider wants back, are handed on in their place', () => {
  const thought = { type: 'reasoning', text: 'hm', meta: { p: { signature: 's' } } } as const
  const call = { type: 'tool-call', callId: 'c', name: 'a', arguments: '{}', meta: { p: 1 } } as const
  const log = logOf(['assistant/message', { turn: 1, step: 1, content: [thought, textBlock('so'), call] }], callEntry('a'), resultEntry(2))
  expect(deriveMessages(log)[0]).toEqual({ role: 'assistant', content: [thought, textBlock('so'), call] })
})

test('what the model is not told is not in it: starts, approvals, cards, events of plugins', () => {
  expect(short(callEntry('a'), ['approval/asked', { call: 1 }], startEntry(1, 'none'), resultEntry(1, 'A'))).toEqual([['a()'], ['a: A']])
  expect(deriveMessages([{ ...logOf(callEntry('a'))[0]!, type: 'todo/write', data: { items: [] } }])).toEqual([])
})

describe('of every prefix of any log', () => {
  // Numbers of calls that are often there, and sometimes are not, or come later.
  const call = fc.integer({ min: 1, max: 14 })
  const step = fc.integer({ min: 1, max: 3 })
  const effects = fc.constantFrom('none', 'idempotent', 'unknown')
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    { weight: 4, arbitrary: step.map((at) => callEntry('a', at)) },
    { weight: 3, arbitrary: fc.tuple(call, effects).map(([seq, which]) => startEntry(seq, which)) },
    { weight: 3, arbitrary: call.map((seq) => resultEntry(seq)) },
    call.map((seq): Entry => ['approval/asked', { call: seq }]),
    fc
      .tuple(call, fc.constantFrom('allowed-once', 'rejected'))
      .map(([seq, outcome]): Entry => ['approval/decided', { call: seq, outcome }]),
    step.map((at) => said('words', at)),
    { weight: 2, arbitrary: step.map((at) => asks(at, 'a', 'b')) },
    step.map((at): Entry => ['step/start', { turn: 1, step: at }]),
    fc.constant<Entry>(['turn/end', { turn: 1, outcome: 'answered', steps: 1 }]),
    fc.constant(user('hello')),
  )
  const prefix = fc.array(entry, { maxLength: 14 }).map((entries) => logOf(...entries))
  const callsOf = (events: readonly SessionEvent[]) => events.filter((event) => isEvent(event, 'tool/call')).map(({ seq }) => seq)

  test('every call is there once, with exactly one result in the message after it, and no two share an id', () => {
    const check = (events: SessionEvent[]) => {
      const messages = deriveMessages(events)
      const ids: string[] = []
      for (const [index, message] of messages.entries()) {
        const calls = message.role === 'assistant' ? message.content.filter((block) => block.type === 'tool-call') : []
        const next = messages[index + 1]
        ids.push(...calls.map(({ callId }) => callId))
        if (calls.length > 0)
          expect(next?.role === 'tool' && next.results.map(({ callId }) => callId)).toEqual(calls.map(({ callId }) => callId))
        else expect(next?.role).not.toBe('tool')
      }
      expect(new Set(ids).size).toBe(ids.length)
      const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
      expect(results.flatMap(({ seq }) => seq ?? [])).toEqual(callsOf(events))
    }
    fc.assert(fc.property(prefix, check))
  })

  test('what is read event by event is what is read at once', () => {
    const check = (events: SessionEvent[]) => {
      const history = new History()
      for (let end = 0; end <= events.length; end++) {
        const prefix = events.slice(0, end)
        expect(history.read(prefix).messages).toEqual(deriveMessages(prefix))
      }
    }
    fc.assert(fc.property(prefix, check))
  })

  test('a repair changes nothing that the model reads, and a second one finds nothing to do', () => {
    const check = (events: SessionEvent[]) => {
      const added = repairOf(events).events.map(({ type, data }) => [type, data] as unknown as Entry)
      const repaired = [...events, ...logOf(...added).map((event, index) => ({ ...event, seq: events.length + index + 1 }))]
      expect(deriveMessages(repaired)).toEqual(deriveMessages(events))
      expect(repairOf(repaired).events).toEqual([])
      for (const { call } of repairOf(repaired).open) expect(callsOf(events)).toContain(call.seq)
    }
    fc.assert(fc.property(prefix, check))
  })
})
