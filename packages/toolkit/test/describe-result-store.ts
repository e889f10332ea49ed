import { toToolCallId } from '@dsh/tools'
import type { KeptResult, ResultStore } from '@dsh/tools/ports'
import { describe, expect, test } from 'vitest'

/** Whose results the tests keep. */
export const request = { callId: toToolCallId('call-1'), tool: 'big' }

/** The text of what is kept, from a byte on. */
export async function textOf(kept: KeptResult | undefined, from?: number): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of kept?.text(from) ?? []) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** The conformance suite of result stores: what `ResultStore` promises, as tests. @param create - gives a store that holds nothing. */
export function describeResultStore(name: string, create: () => Promise<ResultStore>): void {
  describe(`the store of results ${name}`, () => {
    test('a value is kept with the text a model would have read, and both come back', async () => {
      const store = await create()
      const value = { 中: ['😀', '\ud800', null, 1.5], ['__proto__']: { a: true } }
      const locator = await store.keep({ ...request, value, text: 'what was read 😀' })
      const kept = await store.open(locator)
      expect(kept).toMatchObject({ tool: 'big', bytes: 18, hasValue: true })
      expect(await textOf(kept)).toBe('what was read 😀')
      expect(JSON.stringify(await kept?.value())).toBe(JSON.stringify(value))
      expect(JSON.stringify(await store.fetch(locator))).toBe(JSON.stringify(value))
    })

    test('the text of a value that came without is indented JSON, and a text is its own', async () => {
      const store = await create()
      expect(await textOf(await store.open(await store.keep({ ...request, value: { a: [1] } })))).toBe('{\n  "a": [\n    1\n  ]\n}')
      expect(await textOf(await store.open(await store.keep({ ...request, value: 'one\ntwo' })))).toBe('one\ntwo')
    })

    test('a text comes in pieces, cut anywhere, and has a locator when it has ended', async () => {
      const store = await create()
      const keeper = await store.keepText(request)
      const bytes = Buffer.from('a😀b\n'.repeat(30_000))
      for (let at = 0; at < bytes.length; at += 7_001) void keeper.append(bytes.subarray(at, at + 7_001))
      const kept = await store.open(await keeper.end())
      expect(kept).toMatchObject({ bytes: bytes.length, hasValue: false })
      expect(await textOf(kept)).toBe(bytes.toString())
      await expect(kept?.value()).rejects.toThrow('has no value')
    })

    test('a buffer may be used again as soon as its append has settled', async () => {
      const store = await create()
      const keeper = await store.keepText(request)
      const buffer = Buffer.from('one')
      await keeper.append(buffer)
      buffer.write('two')
      await keeper.append(buffer)
      expect(await textOf(await store.open(await keeper.end()))).toBe('onetwo')
    })

    test('a text is read from any byte on, past its end as nothing', async () => {
      const store = await create()
      const keeper = await store.keepText(request)
      for (const piece of ['0123', '', '4567', '89']) await keeper.append(Buffer.from(piece))
      const kept = await store.open(await keeper.end())
      expect(await Promise.all([0, 3, 4, 9, 10, 99].map((from) => textOf(kept, from)))).toEqual([
        '0123456789',
        '3456789',
        '456789',
        '9',
        '',
        '',
      ])
    })

    test('an empty text is kept', async () => {
      const store = await create()
      const kept = await store.open(await (await store.keepText(request)).end())
      expect(kept?.bytes).toBe(0)
      expect(await textOf(kept)).toBe('')
    })

    test('nothing is appended after the end or a discard, and a text ends once', async () => {
      const store = await create()
      for (const finish of ['end', 'discard'] as const) {
        const keeper = await store.keepText(request)
        await keeper[finish]()
        await expect(keeper.append(Buffer.from('late'))).rejects.toThrow('after its end')
        await expect(keeper.end()).rejects.toThrow('ends once')
      }
    })

    test('a discard after the end takes nothing away', async () => {
      const store = await create()
      const keeper = await store.keepText(request)
      await keeper.append(Buffer.from('kept'))
      const locator = await keeper.end()
      await keeper.discard()
      expect(await textOf(await store.open(locator))).toBe('kept')
    })

    test('each result has a locator of its own, even for the same call', async () => {
      const store = await create()
      const locators = await Promise.all(Array.from({ length: 20 }, (_, index) => store.keep({ ...request, value: index })))
      expect(new Set(locators).size).toBe(20)
      expect(await Promise.all(locators.map((locator) => store.fetch(locator)))).toEqual(Array.from({ length: 20 }, (_, index) => index))
    })

    test('an unknown locator, or what is none, opens nothing', async () => {
      const store = await create()
      const locator = await store.keep({ ...request, value: 1 })
      for (const other of [
        '',
        '.',
        '..',
        `../${locator}`,
        `${locator}/text`,
        `${locator}\0`,
        locator.toUpperCase(),
        `result-${'0'.repeat(24)}`,
      ]) {
        expect(await store.open(other), other).toBeUndefined()
        expect(await store.fetch(other), other).toBeUndefined()
      }
    })

    test('a value that cannot be written as JSON is refused, and leaves nothing', async () => {
      const store = await create()
      await expect(store.keep({ ...request, value: 1n as never })).rejects.toThrow()
    })
  })
}
