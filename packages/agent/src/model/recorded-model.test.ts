import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelEvent, ModelMessage, ModelService } from '@dsh/tools/ports'
import { expect, test } from 'vitest'
import { type Script, says, scriptedModel, usage } from '../../test/scripted-model.ts'
import { workspace } from '../../test/sqlite-folder.ts'
import { ModelError } from './model-error.ts'
import { recordModel } from './record-model.ts'
import { recordedModel } from './recorded-model.ts'

const live = () => new AbortController().signal
const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })

async function ask(model: ModelService, ...messages: ModelMessage[]): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream({ messages }, live())) events.push(event)
  return events
}

const textOf = (events: readonly ModelEvent[]) => events.map((event) => (event.kind === 'text' ? event.text : '')).join('')
const fileWith = (text: string) => {
  const file = join(workspace().folder, 'recording.jsonl')
  writeFileSync(file, text)
  return file
}

test('what was recorded is what is replayed, told by the place in the conversation alone', async () => {
  const file = join(workspace().folder, 'recording.jsonl')
  const pieces: ModelEvent[] = [
    { kind: 'reasoning', text: 'H', block: '1' },
    { kind: 'reasoning', text: 'm', block: '1', meta: { sealed: 's' } },
    { kind: 'text', text: 'on' },
    { kind: 'text', text: 'e' },
    { kind: 'tool-call-delta', block: 'c', name: 'a', text: '{}' },
    { kind: 'tool-call', call: { type: 'tool-call', callId: 'c', name: 'a', arguments: '{}' } },
    usage(1, 2),
    { kind: 'finish', reason: 'tool-calls' },
  ]
  const recording = recordModel(scriptedModel(pieces, says('two')), file)
  expect(await ask(recording, user('hi'))).toEqual(pieces)
  await ask(recording, user('hi'), assistant('one'))
  const replayed = recordedModel(file)
  expect(textOf(await ask(replayed, user('hi'), assistant('one')))).toBe('two')
  expect(await ask(replayed, user('hi'))).toEqual([...pieces.slice(0, 2), { kind: 'text', text: 'one' }, ...pieces.slice(5)])
})

test('a recording of one conversation answers to any; of several, each has its own', async () => {
  const file = join(workspace().folder, 'recording.jsonl')
  const recording = recordModel(scriptedModel(says('A'), says('B')), file)
  await ask(recording, user('a'))
  expect(textOf(await ask(recordedModel(file), user('whatever')))).toBe('A')
  await ask(recording, user('b'))
  const replayed = recordedModel(file)
  expect(textOf(await ask(replayed, user('b')))).toBe('B')
  expect(textOf(await ask(replayed, user('a')))).toBe('A')
  await expect(ask(replayed, user('c'))).rejects.toThrow(
    /holds 2 answers, and none for the conversation "c" after 0 answers\. Record it again/,
  )
})

test('an answer that broke off, and the one to the request made again, are replayed in turn', async () => {
  const file = join(workspace().folder, 'recording.jsonl')
  const broken = new ModelError('MODEL_RATE_LIMITED', 'Too many.', { retryable: true, retryAfterMs: 5 })
  const breaks: Script = () =>
    (async function* (): AsyncGenerator<ModelEvent> {
      yield { kind: 'text', text: 'Ha' }
      throw broken
    })()
  const recording = recordModel(scriptedModel(breaks, says('ok')), file)
  await expect(ask(recording, user('a'))).rejects.toBe(broken)
  await ask(recording, user('a'))
  const replayed = recordedModel(file)
  await expect(ask(replayed, user('a'))).rejects.toMatchObject({
    code: 'MODEL_RATE_LIMITED',
    message: 'Too many.',
    retryable: true,
    retryAfterMs: 5,
  })
  expect(textOf(await ask(replayed, user('a')))).toBe('ok')
  expect(textOf(await ask(replayed, user('a')))).toBe('ok')
})

test('a request that the caller gave up is not recorded', async () => {
  const file = fileWith('')
  const recording = recordModel(scriptedModel(says('ok')), file)
  for await (const _event of recording.stream({ messages: [user('a')] }, live())) break
  await expect(ask(recordedModel(file), user('a'))).rejects.toThrow('holds 0 answers')
})

test.each([
  ['{"v":1,"at":0', /recording\.jsonl:2: it is not JSON/],
  ['{"v":2,"at":0,"events":[]}', /recording\.jsonl:2: its version is 2, and this one reads 1/],
  ['{"v":1,"events":[]}', /recording\.jsonl:2: "at" has to be a number/],
  ['{"v":1,"at":0,"events":[{"kind":"txt"}]}', /recording\.jsonl:2: there is no event of the kind "txt"/],
  ['null', /recording\.jsonl:2: its version is undefined/],
])('a line that is none is refused by its place: %s', (line, expected) => {
  expect(() => recordedModel(fileWith(`{"v":1,"at":0,"events":[]}\n${line}\n`))).toThrow(expected)
})
