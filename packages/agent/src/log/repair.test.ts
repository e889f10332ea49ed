import { describe, expect, test } from 'vitest'
import { callEntry, type Entry, logOf, resultEntry, startEntry } from '../../test/log-of.ts'
import { type NewEvent, repairOf } from './repair.ts'

const repaired = (...entries: Entry[]) => repairOf(logOf(...entries))
const codeOf = (event: NewEvent | undefined) => (event?.type === 'tool/result' ? event.data.error?.info?.code : undefined)

describe('repair of a log that breaks off', () => {
  test('a log that is whole needs none', () => {
    expect(repaired(callEntry('a'), startEntry(1, 'unknown'), resultEntry(1))).toEqual({ events: [], repaired: [], open: [] })
    expect(repaired()).toEqual({ events: [], repaired: [], open: [] })
  })

  test('a call that did not start is closed as not started, and may be called again', () => {
    const { events, repaired: calls } = repaired(callEntry('a'))
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ type: 'tool/result', data: { call: 1, callId: 'id-a', isError: true, repaired: true } })
    expect(codeOf(events[0])).toBe('TOOL_NOT_STARTED')
    expect(JSON.stringify(events[0])).toContain('safe to call it again')
    expect(calls).toEqual([{ call: 1, callId: 'id-a', name: 'a', code: 'TOOL_NOT_STARTED' }])
  })

  test('a body that began and declared no effects to be harmless is of unknown outcome, and the model is told to verify', () => {
    const { events, open } = repaired(callEntry('a'), startEntry(1, 'unknown'))
    expect(codeOf(events[0])).toBe('TOOL_OUTCOME_UNKNOWN')
    expect(JSON.stringify(events[0])).toContain('Verify what it did before you repeat it.')
    expect(open).toEqual([])
  })

  test.each(['none', 'idempotent'] as const)('a body that began with effects %s stays open: it may run again', (effects) => {
    const { events, open } = repaired(callEntry('a'), startEntry(1, effects))
    expect(events).toEqual([])
    expect(open.map(({ call }) => call.seq)).toEqual([1])
  })

  test('the effects of the last attempt count', () => {
    expect(repaired(callEntry('a'), startEntry(1, 'none'), startEntry(1, 'unknown', 2)).open).toEqual([])
  })

  test('an open approval is closed as cancelled, before its call is', () => {
    const { events } = repaired(callEntry('a'), ['approval/asked', { call: 1 }])
    expect(events[0]).toEqual({ type: 'approval/decided', data: { call: 1, outcome: 'cancelled', repaired: true } })
    expect(codeOf(events[1])).toBe('TOOL_NOT_STARTED')
  })

  test('an approval that was given for a call which never started does not start it', () => {
    const decided: Entry = ['approval/decided', { call: 1, outcome: 'allowed-once' }]
    const { events } = repaired(callEntry('a'), ['approval/asked', { call: 1 }], decided)
    expect(events.map(codeOf)).toEqual(['TOOL_NOT_STARTED'])
  })

  test('what was repaired needs no repair', () => {
    const broken = logOf(callEntry('a'), callEntry('b'), startEntry(2, 'unknown'), callEntry('c'), startEntry(4, 'none'))
    const { events } = repairOf(broken)
    const whole = [...broken, ...logOf(...events.map(({ type, data }) => [type, data] as unknown as Entry))]
    expect(repairOf(whole)).toMatchObject({ events: [], repaired: [] })
    expect(repairOf(whole).open.map(({ call }) => call.data.name)).toEqual(['c'])
  })
})
