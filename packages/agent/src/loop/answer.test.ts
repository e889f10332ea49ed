import type { ModelEvent } from '@dsh/tools/ports'
import { expect, test } from 'vitest'
import { AnswerBuilder } from './answer.ts'

function built(...events: ModelEvent[]): AnswerBuilder {
  const builder = new AnswerBuilder()
  for (const event of events) builder.add(event)
  return builder
}

const call = { type: 'tool-call', callId: 'c', name: 'look', arguments: '{}' } as const

test('pieces of one kind are joined, in the order in which blocks began', () => {
  const { answer } = built(
    { kind: 'reasoning', text: 'Hm' },
    { kind: 'reasoning', text: '.' },
    { kind: 'text', text: 'So' },
    { kind: 'text', text: '!' },
    { kind: 'tool-call', call },
    { kind: 'text', text: 'More' },
  )
  expect(answer.content).toEqual([{ type: 'reasoning', text: 'Hm.' }, { type: 'text', text: 'So!' }, call, { type: 'text', text: 'More' }])
  expect(answer.calls).toEqual([call])
})

test('pieces that name their block are joined with it, also when blocks alternate', () => {
  const { answer } = built(
    { kind: 'text', block: '1', text: 'a' },
    { kind: 'text', block: '2', text: 'x' },
    { kind: 'text', block: '1', text: 'b' },
    { kind: 'reasoning', block: '1', text: 'r' },
  )
  expect(answer.content).toMatchObject([{ text: 'ab' }, { text: 'x' }, { type: 'reasoning', text: 'r' }])
})

test('what a provider wants back comes with any piece of the block, the later one winning field by field', () => {
  const { answer } = built(
    { kind: 'reasoning', block: '1', text: '', meta: { p: { id: 1, sealed: null } } },
    { kind: 'reasoning', block: '1', text: 'r' },
    { kind: 'reasoning', block: '1', text: '', meta: { p: { sealed: 's' } } },
  )
  expect(answer.content).toEqual([{ type: 'reasoning', text: 'r', meta: { p: { id: 1, sealed: 's' } } }])
})

test('a block without words is left out, unless its provider wants something back', () => {
  const { answer } = built({ kind: 'text', block: '1', text: '' }, { kind: 'reasoning', block: '1', text: '', meta: { sealed: 's' } })
  expect(answer.content).toEqual([{ type: 'reasoning', text: '', meta: { sealed: 's' } }])
})

test('deltas of calls are for those who watch', () => {
  expect(built({ kind: 'tool-call-delta', block: 'c', name: 'look', text: '{' }).answer.content).toEqual([])
})

test('of an answer that broke off only its text is kept', () => {
  const picture = { type: 'image', mediaType: 'image/png', data: 'AA==' } as const
  const builder = built(
    { kind: 'reasoning', text: 'r' },
    { kind: 'text', text: 'a', meta: { cut: true } },
    { kind: 'content', content: picture },
    { kind: 'tool-call', call },
  )
  expect(builder.kept).toEqual({ content: [{ type: 'text', text: 'a' }], calls: [] })
  expect(builder.isFinished).toBe(false)
})

test('an answer tells what it cost and why it ended', () => {
  const builder = built({ kind: 'usage', usage: { inputTokens: 1 } }, { kind: 'finish', reason: 'length' })
  expect(builder.answer).toEqual({ content: [], calls: [], usage: { inputTokens: 1 }, finish: 'length' })
  expect(builder.isFinished).toBe(true)
})
