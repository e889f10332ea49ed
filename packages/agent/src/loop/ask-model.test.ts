import { getEventListeners } from 'node:events'
import type { ModelEvent } from '@dsh/tools/ports'
import { createFakeClock, createLatch } from '@dsh/tools/testing'
import { expect, test } from 'vitest'
import { type Script, says, scriptedModel } from '../../test/scripted-model.ts'
import { ModelError } from '../model/model-error.ts'
import { askModel, type ModelPatience } from './ask-model.ts'

const busy = new ModelError('MODEL_RATE_LIMITED', 'Too many.', { retryable: true, retryAfterMs: 7_000 })
const down = new ModelError('MODEL_UNAVAILABLE', 'Down.', { retryable: true })
const wrong = new ModelError('MODEL_REQUEST_REFUSED', 'No such model.', { retryable: false })

const fails =
  (error: unknown, ...before: ModelEvent[]): Script =>
  () =>
    (async function* () {
      yield* before
      throw error
    })()

function asking(scripts: readonly Script[], patience: Partial<ModelPatience> = {}) {
  const clock = createFakeClock()
  const caller = new AbortController()
  const model = scriptedModel(...scripts)
  const waits: number[] = []
  const events: ModelEvent[] = []
  let retried = createLatch()
  const asked = askModel(
    {
      model,
      clock,
      signal: caller.signal,
      patience: { maxRetries: 2, backoffMs: 1_000, maxWaitMs: 60_000, stallMs: 5_000, ...patience },
      onEvent: (event) => events.push(event),
      onRetry({ waitMs }) {
        waits.push(waitMs)
        retried.open()
      },
    },
    { messages: [] },
  )
  const nextRetry = async () => {
    await retried.opened
    retried = createLatch()
  }
  return { asked, model, clock, caller, waits, events, nextRetry }
}

test('a request that fails before any text is made again, after what the provider asks to wait', async () => {
  const { asked, clock, waits, nextRetry } = asking([fails(busy), says('ok')])
  await nextRetry()
  clock.advance(6_999)
  expect(waits).toEqual([7_000])
  clock.advance(1)
  expect(await asked).toMatchObject({ kind: 'answered', answer: { content: [{ text: 'ok' }] } })
  expect(clock.pending).toBe(0)
})

test('without such a wish the wait doubles, and tries are counted', async () => {
  const { asked, clock, waits, nextRetry, model } = asking([fails(down), fails(down), fails(down)])
  await nextRetry()
  clock.advance(2_000)
  await nextRetry()
  clock.advance(4_000)
  expect(await asked).toMatchObject({ kind: 'broken', error: { code: 'MODEL_UNAVAILABLE' } })
  expect(model.requests).toHaveLength(3)
  expect(waits[0]).toBeGreaterThanOrEqual(750)
  expect(waits[0]).toBeLessThanOrEqual(1_250)
  expect(waits[1]).toBeGreaterThanOrEqual(1_500)
  expect(waits[1]).toBeLessThanOrEqual(2_500)
})

test('what no repetition helps is told at once, and so is a wait that is too long', async () => {
  expect(await asking([fails(wrong)]).asked).toMatchObject({ kind: 'broken', error: { code: 'MODEL_REQUEST_REFUSED' } })
  expect(await asking([fails(busy)], { maxWaitMs: 6_999 }).asked).toMatchObject({ kind: 'broken', error: { retryAfterMs: 7_000 } })
  expect(await asking([fails(new Error('A bug.'))]).asked).toMatchObject({
    error: { code: 'MODEL_FAILED', message: 'The model could not be asked: A bug.' },
  })
})

test('an answer that breaks off after its first words is not asked for again: its text is kept', async () => {
  const { asked, model } = asking([fails(down, { kind: 'text', text: 'Half' })])
  expect(await asked).toMatchObject({ kind: 'broken', answer: { content: [{ text: 'Half' }], calls: [] } })
  expect(model.requests).toHaveLength(1)
})

test('an answer that ends without a finish is broken, whatever calls it held', async () => {
  const call = { kind: 'tool-call', call: { type: 'tool-call', callId: 'c', name: 'rm', arguments: '{}' } } as const
  const { asked } = asking([[{ kind: 'text', text: 'I will' }, call]])
  expect(await asked).toMatchObject({ kind: 'broken', answer: { calls: [] }, error: { code: 'MODEL_STREAM_BROKEN', retryable: true } })
})

test('a model that says nothing for too long is given up, and its stream is told', async () => {
  const started = createLatch()
  let told: unknown
  const silent: Script = (_request, signal) =>
    (async function* (): AsyncGenerator<ModelEvent> {
      yield { kind: 'text', text: 'One' }
      started.open()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      told = signal.reason
    })()
  const { asked, clock } = asking([silent])
  await started.opened
  await new Promise((resolve) => setImmediate(resolve)) // the piece was taken, and the clock set again
  clock.advance(4_999)
  clock.advance(1)
  expect(await asked).toMatchObject({ kind: 'broken', error: { code: 'MODEL_STALLED', message: 'The model has said nothing for 5 s.' } })
  expect(told).toMatchObject({ code: 'MODEL_STALLED' })
})

test('a model is waited for as long as it takes where its silence has no limit', async () => {
  const go = createLatch()
  const slow: Script = () =>
    (async function* (): AsyncGenerator<ModelEvent> {
      await go.opened
      yield { kind: 'finish', reason: 'stop' }
    })()
  const { asked, clock } = asking([slow], { stallMs: Number.POSITIVE_INFINITY })
  expect(clock.pending).toBe(0)
  clock.advance(1e15)
  go.open()
  expect(await asked).toMatchObject({ kind: 'answered' })
})

test('a caller whose answer has come is not listened to any more', async () => {
  const { asked, caller } = asking([says('ok')])
  await asked
  expect(getEventListeners(caller.signal, 'abort')).toEqual([])
})

test('a caller who leaves is not kept waiting, by a stream or by a pause, and leaves no listener or timer', async () => {
  const deaf: Script = () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) })
  for (const script of [deaf, fails(busy)]) {
    const { asked, caller, clock, nextRetry } = asking([script])
    if (script !== deaf) await nextRetry()
    caller.abort(new Error('Gone.'))
    expect(await asked).toMatchObject({ kind: 'cancelled' })
    expect(clock.pending).toBe(0)
  }
})
