import { createRuntime, type JsonValue, type ToolExecutionResult } from '@dsh/tools'
import { spillPolicy } from '@dsh/tools/policies/spill'
import type { ResultStore } from '@dsh/tools/ports'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { childCommands } from '../../test/children.ts'
import { request } from '../../test/describe-result-store.ts'
import { runBody, runTool } from '../../test/run-tool.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import { folderResults, memoryResults, type ReadResultValue, readResultTool, resultTools } from '../index.ts'

const LIMIT = 50_000

async function keepText(store: ResultStore, text: string): Promise<string> {
  const keeper = await store.keepText(request)
  await keeper.append(Buffer.from(text))
  return keeper.end()
}

/** Run `read_result` on one text or value, kept in a store of its own. */
async function reading(kept: { readonly text: string } | { readonly value: JsonValue }, store = memoryResults()) {
  const locator = 'text' in kept ? await keepText(store, kept.text) : await store.keep({ ...request, ...kept })
  return (args: object = {}) => runTool<ReadResultValue>(readResultTool(store), { locator, ...args })
}

const thousands = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1} 😀`).join('\n')

describe('lines', () => {
  test('a page of numbered lines says how to read on, and pages meet without a gap', async () => {
    const read = await reading({ text: thousands }, await folderResults(await tempFolder()))
    const seen: string[] = []
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const { value, text } = await read({ offset })
      expect(Buffer.byteLength(text)).toBeLessThan(LIMIT)
      if (value.nextOffset) expect(text).toContain(`of 5,000 lines shown: call read_result with offset ${value.nextOffset} for the next]`)
      seen.push(...(value.lines ?? []).map((line) => line.text))
      offset = value.nextOffset
    }
    expect(seen.join('\n')).toBe(thousands)
  })

  test('offset and limit choose the lines; the card is a read card', async () => {
    const read = await reading({ text: thousands })
    const { value, text, view } = await read({ offset: 4_999, limit: 1 })
    expect(text).toBe('4999\tline 4999 😀\n[1 of 5,000 lines shown: call read_result with offset 5000 for the next]')
    expect(value).toMatchObject({ tool: 'big', offset: 4_999, total: 5_000, nextOffset: 5_000 })
    expect(view).toMatchObject({ card: 'read', offset: 4_999, totalLines: 5_000, lines: [{ number: 4_999, text: 'line 4999 😀' }] })
    expect((await read({ offset: 6_000 })).text).toBe('[5,000 lines, none at offset 6000: use an offset up to 5000]')
  })

  test('a line of any length is read piece by piece with column, and no character is lost or halved', async () => {
    const line = '😀中a'.repeat(9_000)
    const read = await reading({ text: `first\n${line}\nlast` })
    expect((await read()).text).toContain('more characters]')
    let seen = ''
    while (seen.length < line.length) {
      const { value, text } = await read({ offset: 2, limit: 1, column: seen.length + 1 })
      expect(Buffer.byteLength(text)).toBeLessThan(LIMIT)
      seen += value.lines?.[0]?.text
    }
    expect(seen).toBe(line)
    expect((await read({ offset: 2, limit: 1, column: 2 })).value.lines?.[0]?.text.startsWith('中a😀')).toBe(true) // within a pair
    expect((await read({ column: 3 })).value.lines?.map(({ text }) => text.slice(0, 3))).toEqual(['rst', '中a😀'.slice(0, 3), 'st'])
  })

  test('an answer stays below the limit from which on results are kept, whatever the text', async () => {
    for (const text of ['\n'.repeat(100_000), `${'中'.repeat(3_000)}\n`.repeat(100), `${'\u0001'.repeat(1_999)}\n`.repeat(100)]) {
      const read = await reading({ text })
      for (const args of [{}, { offset: 90_000 }, { limit: 1 }, { pattern: '.*' }, { pattern: '.' }]) {
        expect(Buffer.byteLength((await read(args)).text)).toBeLessThan(LIMIT)
      }
    }
  })

  test.each(['offset', 'limit', 'column'])('%s is counted from 1', async (name) => {
    expect((await (await reading({ text: 'a' }))({ [name]: 0 })).error?.code).toBe('INVALID_RANGE')
  })
})

describe('a pattern', () => {
  test('finds lines with their numbers and the total, page by page; the card is a search card', async () => {
    const read = await reading({ text: thousands }, await folderResults(await tempFolder()))
    const { value, text, view } = await read({ pattern: 'LINE \\d*00 ', ignoreCase: true, limit: 2 })
    expect(value).toMatchObject({ total: 50, nextOffset: 3, matches: [{ line: 100, text: 'line 100 😀' }, { line: 200 }] })
    expect(text).toBe('100\tline 100 😀\n200\tline 200 😀\n[2 of 50 matching lines shown: call read_result with offset 3 for the next]')
    expect(view).toMatchObject({ card: 'search', shape: 'matches', total: 50, truncated: true })
    expect((await read({ pattern: 'line \\d*00 ', offset: 50 })).value.matches).toEqual([{ line: 5_000, text: 'line 5000 😀' }])
    expect((await read({ pattern: 'nothing' })).text).toBe('[0 matching lines]')
  })

  test('is text when it says literal, and one that cannot be read is refused', async () => {
    const read = await reading({ text: 'a.b\naxb' })
    expect((await read({ pattern: 'a.b', literal: true })).value.total).toBe(1)
    expect((await read({ pattern: '(' })).error?.code).toBe('INVALID_PATTERN')
    expect((await read({ pattern: '' })).error?.code).toBe('INVALID_PATTERN')
  })

  test('that would take a backtracking engine for ever takes no time, and NUL bytes end nothing', async () => {
    const read = await reading({ text: `\0\n${'a'.repeat(100_000)}!\nfound` })
    expect((await read({ pattern: '^(a+)+$' })).value.total).toBe(0)
    expect((await read({ pattern: 'found' })).value.matches).toEqual([{ line: 3, text: 'found' }])
  })

  test('whose reader fails, or is cancelled, fails the call and leaves no process', async () => {
    const broken = {
      text: () =>
        (async function* () {
          yield Buffer.from('a\n')
          throw new Error('disk gone')
        })(),
    }
    const store = { open: async () => ({ tool: 't', bytes: 9, hasValue: false, ...broken }) } as unknown as ResultStore
    expect((await runTool(readResultTool(store), { locator: 'x', pattern: 'a' })).error?.message).toContain('disk gone')
    const controller = new AbortController()
    const endless = { open: async () => ({ tool: 't', bytes: 9, hasValue: false, text: endlessText }) } as unknown as ResultStore
    async function* endlessText() {
      for (let count = 0; ; count++) {
        if (count === 100) controller.abort(new Error('enough'))
        yield Buffer.alloc(1_000, 'b\n')
      }
    }
    await expect(runBody(readResultTool(endless), { locator: 'x', pattern: 'a' }, controller.signal)).rejects.toThrow('enough')
    expect(childCommands().filter((command) => command.includes('rg'))).toEqual([])
  })
})

describe('a query', () => {
  const value = { items: [{ id: 1, 'odd key': 'x' }, { id: 2 }, { id: 3 }], name: 'n', ['__proto__']: { a: null }, length: 7 }

  test.each<[string, JsonValue[]]>([
    ['$', [JSON.parse(JSON.stringify(value))]],
    ['$.items[0].id', [1]],
    ['$.items[-1].id', [3]],
    ['$.items[*].id', [1, 2, 3]],
    ['$.items[1:].id', [2, 3]],
    ['$.items[:-1].id', [1, 2]],
    ['$.items[ 0 : 99 ].id', [1, 2, 3]],
    ['$.items[0]["odd key"]', ['x']],
    ["$['items'][0]['odd key']", ['x']],
    ['$.items.length', [3]],
    ['$.length', [7]],
    ['$.name.length', [1]],
    ['$.__proto__.a', [null]],
    ['$.items[0].*', [1, 'x']],
  ])('%s', async (query, found) => {
    const read = await reading({ value })
    const { value: answer, text } = await read({ query })
    expect(answer.values?.map((item) => item.value)).toEqual(found)
    expect(
      text
        .split('\n')
        .slice(0, found.length)
        .map((line) => JSON.parse(line)),
    ).toEqual(found)
    for (const item of answer.values ?? []) expect((await read({ query: item.path })).value.values?.[0]?.value).toEqual(item.value)
  })

  test.each(['items', '', '$items', '$.', '$[', '$.a[x]', '$.a[1', '$..a', '$["a\\q"]', '$.a b'])(
    '%j is refused with its place',
    async (query) => {
      const { error } = await (await reading({ value }))({ query })
      expect(error?.code).toBe('INVALID_QUERY')
      expect(error?.message).toMatch(/at character \d+/)
    },
  )

  test('that leads nowhere says how far it came and what is there', async () => {
    const { text, error } = await (await reading({ value }))({ query: '$.items[0].nope.deeper' })
    expect(error).toBeUndefined()
    expect(text).toBe('[nothing found: $.items[0] is an object with 2 keys ("id", "odd key"), and .nope leads nowhere in it]')
    for (const query of ['$.toString', '$.items[0].__proto__', '$.items[3]', '$.name[0]']) {
      expect((await (await reading({ value }))({ query })).value, query).toMatchObject({ total: 0, values: [] })
    }
  })

  test('for something too long says what it is, and many values come page by page', async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, text: 'x'.repeat(20) }))
    const read = await reading({ value: { rows } })
    const whole = await read({ query: '$.rows' })
    expect(whole.text).toContain('$.rows is an array of 20,000 items')
    const seen: JsonValue[] = []
    for (let offset: number | undefined = 1; offset !== undefined && seen.length < 3_000; ) {
      const { value: answer, text } = await read({ query: '$.rows[*]', offset })
      expect(Buffer.byteLength(text)).toBeLessThan(LIMIT)
      expect(answer.total).toBe(20_000)
      seen.push(...(answer.values ?? []).map((item) => item.value as JsonValue))
      offset = answer.nextOffset
    }
    expect(seen).toEqual(rows.slice(0, seen.length))
  })

  test('reads a text that is JSON, and one that is not is NOT_JSON', async () => {
    expect((await (await reading({ text: '{"a":[1]}' }))({ query: '$.a[0]' })).text).toBe('1\n[1 value]')
    expect((await (await reading({ text: 'no' }))({ query: '$' })).error?.code).toBe('NOT_JSON')
    expect((await (await reading({ text: '{}' }))({ query: '$', pattern: 'a' })).error?.code).toBe('INVALID_QUERY')
  })

  test('finds every part of any value by the path it says', () => {
    return fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (any) => {
        const part = JSON.parse(JSON.stringify(any))
        const read = await reading({ value: part })
        for (const { path, value: item } of (await read({ query: '$.*' })).value.values ?? []) {
          expect((await read({ query: path })).value.values).toEqual([{ path, value: item }])
        }
      }),
      { numRuns: 50 },
    )
  })
})

test.each(['', '../x', `result-${'0'.repeat(24)}`, 'x'.repeat(10_000)])('the unknown locator %# is RESULT_NOT_FOUND', async (locator) => {
  const { error } = await runTool(readResultTool(memoryResults()), { locator })
  expect(error?.code).toBe('RESULT_NOT_FOUND')
  expect(error?.message.length).toBeLessThan(400)
})

// google-gemini/gemini-cli#10492
test('a tool that gives 60 MB of text: the model gets a preview, and read_result any part of it', async () => {
  const folder = await tempFolder()
  const runtime = createRuntime()
  await runtime.plugin(resultTools, { folder })
  await runtime.plugin(spillPolicy)
  const huge = 'all work and no play makes a dull page\n'.repeat(1_600_000)
  runtime.tools.register({
    name: 'huge',
    description: 'Gives much.',
    parameters: { type: 'object' },
    output: { schema: {}, render: () => [{ type: 'text', text: huge }] },
    execute: async () => ({ lines: 1_600_000 }),
  })
  const shown = textOf(await runtime.call('huge'))
  expect(shown.length).toBeLessThan(10_000)
  const locator = /result-[0-9a-f]{24}/.exec(shown)?.[0]
  expect(textOf(await runtime.call('read_result', { locator, offset: 1_599_999 }))).toContain('1600000\tall work')
  expect(textOf(await runtime.call('read_result', { locator, pattern: 'dull', limit: 1 }))).toContain('1 of 1,600,000 matching lines')
  expect(textOf(await runtime.call('read_result', { locator, query: '$.lines' }))).toBe('1600000\n[1 value]')
})

function textOf(result: ToolExecutionResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}
