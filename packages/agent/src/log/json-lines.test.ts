import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callEntry, logOf, resultEntry, startEntry } from '../../test/log-of.ts'
import { BrokenLineError, exportJsonLines, importJsonLines } from './json-lines.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const log = logOf(callEntry('a'), startEntry(1, 'none'), resultEntry(1, '終わり'))
const text = [...exportJsonLines(log)].join('')

describe('a log as JSON Lines', () => {
  test('what is exported comes back', () => {
    expect(importJsonLines(bytesOf(text))).toEqual({ events: log })
    expect(text.split('\n')).toHaveLength(4)
  })

  test('any JSON comes back as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ stringUnit: 'binary' })), (values) => {
        const events = values.map((data, index) => ({ ...log[0]!, seq: index + 1, type: 'x', data: JSON.parse(JSON.stringify(data)) }))
        expect(importJsonLines(bytesOf([...exportJsonLines(events)].join('')))).toEqual({ events })
      }),
    )
  })

  test('wherever the last line is torn, the lines before it come back, and the torn one is named', () => {
    const bytes = bytesOf(text)
    const lastStart = bytesOf(text.split('\n').slice(0, 2).join('\n')).length + 1
    for (let end = lastStart + 1; end < bytes.length - 1; end++) {
      const read = importJsonLines(bytes.subarray(0, end))
      expect(read.events).toEqual(log.slice(0, 2))
      expect(read.torn?.line).toBe(3)
    }
    expect(importJsonLines(bytes.subarray(0, bytes.length - 1))).toEqual({ events: log }) // only its line end is missing
    expect(importJsonLines(bytes.subarray(0, lastStart))).toEqual({ events: log.slice(0, 2) })
  })

  test('a broken line in the middle is named, with what can be read before it', () => {
    const lines = text.split('\n')
    lines[1] = '{"v":1,'
    const read = () => importJsonLines(bytesOf(lines.join('\n')))
    expect(read).toThrow(/^Line 2 is no event of the log: it is not JSON/)
    expect(read).toThrow(/The 1 event before it can be read/)
    try {
      read()
    } catch (error) {
      expect(error).toBeInstanceOf(BrokenLineError)
      expect((error as BrokenLineError).events).toEqual(log.slice(0, 1))
    }
  })

  test.each([
    ['a last line with its line end that is not JSON', `${text}{"v":1\n`, /^Line 4 .* not JSON/],
    ['a gap', `${text.split('\n')[0]}\n${text.split('\n')[2]}\n`, /^Line 2 .* its seq is 3 where 2 comes next/],
    ['another session', text.replace('"session":"s","seq":2', '"session":"t","seq":2'), /^Line 2 .* not of the same session/],
    ['a newer version', text.replace('"v":1', '"v":2'), /^Line 1 .* its version is 2, and this dsh reads 1: a newer dsh/],
    ['an array', '[]\n', /^Line 1 .* not an object/],
    ['no type', text.replace('"type":"tool/call"', '"type":""'), /^Line 1 .* no type/],
    ['no data', text.replaceAll(/,"data":\{.*\}\}/g, '}'), /^Line 1 .* no data/],
    ['a result without its call', text.replace('"call":1,"callId"', '"callId"'), /^Line 3 .* its data is not that of a tool\/result event/],
    ['no time', text.replace('"time":1000', '"time":"1000"'), /^Line 1 .* no time/],
    ['a whole last line that is no event', `${text}{"v":1}`, /^Line 4 .* same session/],
  ])('%s is refused, naming the line', (_name, lines, problem) => {
    expect(() => importJsonLines(bytesOf(lines))).toThrow(problem)
  })

  test('an event of a known type that does not hold what it promises is refused; of an unknown one anything is taken', () => {
    const types = [
      'session/start',
      'user/message',
      'assistant/message',
      'tool/call',
      'approval/asked',
      'approval/decided',
      'tool/start',
      'tool/result',
    ]
    const bad = [null, 7, [], {}, { call: 2, callId: 'c', isError: false, content: [null] }, { turn: 1, step: 1, content: 'text' }]
    const lineOf = (type: string, data: unknown) => bytesOf(`${JSON.stringify({ v: 1, session: 's', seq: 1, time: 1, type, data })}\n`)
    for (const type of types) {
      for (const data of bad) {
        if (type === 'approval/asked' && data !== null && typeof data === 'object' && 'call' in data) continue // its call is all it needs
        expect(() => importJsonLines(lineOf(type, data))).toThrow(`its data is not that of a ${type} event`)
      }
    }
    for (const data of bad) expect(importJsonLines(lineOf('plugin/event', data)).events).toHaveLength(1)
  })

  test('bytes that are no UTF-8 are named; blank lines are skipped', () => {
    const bytes = bytesOf(`\n${text}`)
    expect(importJsonLines(bytes).events).toEqual(log)
    const broken = Uint8Array.from(bytes)
    broken[10] = 0xff
    expect(() => importJsonLines(broken)).toThrow(/^Line 2 .* not UTF-8/)
  })
})
