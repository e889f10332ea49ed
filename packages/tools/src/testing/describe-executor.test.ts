import { describe, expect, test } from 'vitest'
import { NativeExecutor } from '../executor/native.ts'
import type { ToolBatchInput, ToolBatchResult, ToolExecutor } from '../index.ts'
import { describeExecutor, type TestApi } from './describe-executor.ts'

describeExecutor({ describe, test, expect }, 'native', (runtime) => ({ executor: new NativeExecutor(runtime, 10) }))

describe('the suite notices', () => {
  /** Whether a test of the suite passes for an executor that does something to what the native one does. */
  const passes = async (title: string, spoil: (native: ToolExecutor) => ToolExecutor['execute']) => {
    const bodies = new Map<string, () => Promise<void>>()
    const api: TestApi = { describe: (_name, body) => body(), test: (name, body) => void bodies.set(name, body), expect }
    describeExecutor(api, 'spoiled', (runtime) => {
      const native = new NativeExecutor(runtime, 10)
      return { executor: { describe: (tools) => native.describe(tools), execute: spoil(native) } }
    })
    return (bodies.get(title) as () => Promise<void>)().then(
      () => true,
      () => false,
    )
  }
  const changed = (change: (batch: ToolBatchResult) => ToolBatchResult) => (native: ToolExecutor) => async (input: ToolBatchInput) =>
    change(await native.execute(input))
  const nothing: ToolBatchResult = { results: [], additionalContexts: [], concluded: false }
  const early = (native: ToolExecutor) => async (input: ToolBatchInput) =>
    Promise.race([native.execute(input), new Promise<ToolBatchResult>((resolve) => setTimeout(resolve, 0, nothing))])

  test.each<[string, string, (native: ToolExecutor) => ToolExecutor['execute']]>([
    [
      'a lost result',
      'gives one result per call, in input order, with the ids of the calls',
      changed((batch) => ({ ...batch, results: batch.results.slice(1) })),
    ],
    [
      'another order',
      'gives one result per call, in input order, with the ids of the calls',
      changed((batch) => ({ ...batch, results: [...batch.results].reverse() })),
    ],
    [
      'dropped contexts',
      'forwards contexts in order, and that a success concludes the turn',
      changed((batch) => ({ ...batch, additionalContexts: [] })),
    ],
    ['an early end', 'does not settle while a body is still running', early],
    [
      'an ignored caller',
      'starts nothing for a caller who is gone, and gives every call its result',
      (native) => (input) => native.execute({ ...input, signal: new AbortController().signal }),
    ],
    [
      'an ignored log',
      'logs every root call once, and one result for each, in order',
      (native) =>
        ({ log: _ignored, ...input }) =>
          native.execute(input),
    ],
  ])('%s', async (_what, title, spoil) => {
    expect(await passes(title, (native) => (input) => native.execute(input))).toBe(true)
    expect(await passes(title, spoil)).toBe(false)
  })
})
