import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { call, codeOf, live, rawTool, testRuntime, textOf } from '../../test/fixtures.ts'
import type { ToolDefinition } from '../index.ts'
import { parseCall } from './parse.ts'

interface MessyCalls {
  readonly tools: Readonly<Record<string, ToolDefinition['parameters']>>
  readonly calls: readonly {
    readonly n: number
    readonly tool: string
    readonly rawArguments: string
    readonly why: string
    readonly expect: { readonly run: boolean; readonly code?: string }
  }[]
}

const messy: MessyCalls = JSON.parse(readFileSync(new URL('../../test/cases/messy-calls.json', import.meta.url), 'utf8'))
const parse = (text: string) => parseCall({ name: 't', arguments: text })

describe('raw arguments', () => {
  test.each(['', '   ', '\n\t'])('blank text %j is {}', (text) => {
    expect(parse(text)).toEqual({ arguments: {} })
  })

  test.each<[string, RegExp]>([
    ['{"query":"a"', /line 1, column 1[23].*cut off/],
    ['{\n  "a": 1,\n}', /line 3, column 1/],
    ['{"a": NaN}', /line 1, column 7/],
    ['```json\n{}\n```', /line 1, column 1/],
    ['{"a":1} trailing', /line 1, column 9/],
  ])('%j is not JSON: refused with the position', (text, message) => {
    const { refusal } = parse(text)
    expect(refusal?.info?.code).toBe('INVALID_ARGS')
    expect(refusal?.message).toMatch(message)
  })

  test.each([
    ['-0', 'a number'],
    ['1e999', 'a number'],
    ['[]', 'an array'],
    ['null', 'null'],
    ['1', 'a number'],
    ['"x"', 'a string'],
    ['true', 'a boolean'],
  ])('the root %s is no object: refused', (text, kind) => {
    expect(parse(text).refusal?.message).toContain(kind)
  })

  test.each(['9007199254740993', '-9007199254740993', '12345678901234567890', '1e400', '-1e999', '1e-400', '-0', '-0.0', '-0e5'])(
    'the number %s would be changed by JSON.parse: refused with the hint to send a string',
    (number) => {
      const { refusal } = parse(`{"a":"x", "n": [${number}]}`)
      expect(refusal?.message).toContain(number)
      expect(refusal?.message).toContain('line 1, column 17')
      expect(refusal?.message).toContain('string')
    },
  )

  test.each([
    '9007199254740992',
    '9007199254740991',
    '100000000000000000000',
    '1e3',
    '0',
    '0.0',
    '0.1',
    '-1',
    '123456789012345.678',
    '1E+2',
    '5e-324',
  ])('the number %s is held: accepted', (number) => {
    expect(parse(`{"n":${number}}`)).toEqual({ arguments: { n: Number(number) } })
  })

  test('digits inside a string are text, escapes included', () => {
    const text = String.raw`{"id":"9007199254740993","q":"a \" -0 1e400","k\\":"\\"}`
    expect(parse(text).refusal).toBeUndefined()
  })

  test('something else than text is refused, never thrown at', () => {
    expect(parseCall({ name: 't', arguments: { a: 1 } as never }).refusal?.message).toContain('JSON text')
  })
})

describe('messy calls are run as they stand or refused, and never repaired', () => {
  const definitions = Object.entries(messy.tools)

  test.each(messy.calls.map((entry) => [entry.n, entry.why || entry.tool, entry] as const))('%i: %s', async (_n, _why, entry) => {
    const { runtime } = testRuntime()
    let ran = 0
    for (const [name, parameters] of definitions) runtime.tools.register(rawTool(name, async (args) => (ran++, args), { parameters }))
    const { results } = await runtime.tools.execute({ calls: [call(entry.tool, entry.rawArguments)], signal: live })
    const result = results[0]!.result
    expect(ran).toBe(entry.expect.run ? 1 : 0)
    expect(result.isError).toBe(!entry.expect.run)
    if ('code' in entry.expect) expect(codeOf(result)).toBe(entry.expect.code)
    if (entry.expect.run && entry.rawArguments.trim() !== '') expect(result.value).toEqual(JSON.parse(entry.rawArguments))
    if (!entry.expect.run) expect(textOf(result)).toMatch(/^Error: /)
  })

  test('an array sent as a JSON string is refused with the path and a hint', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('search', async () => 1, { parameters: { type: 'object', properties: { queries: { type: 'array' } } } }))
    const { results } = await runtime.tools.execute({ calls: [call('search', '{"queries":"[\\"t\\"]"}')], signal: live })
    expect(textOf(results[0]!.result)).toMatch(/\$\.queries.*array.*not its JSON in a string/)
  })

  test('an own __proto__ key reaches the body as an ordinary property', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async (args) => Object.hasOwn(args as object, '__proto__')))
    const { results } = await runtime.tools.execute({ calls: [call('t', '{"__proto__":{"polluted":1}}')], signal: live })
    expect(results[0]!.result.value).toBe(true)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})
