import { readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRuntime } from '@dsh/tools'
import { describe, expect, test } from 'vitest'
import { describeResultStore, request, textOf } from '../../test/describe-result-store.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import { folderResults, memoryResults, resultTools } from '../index.ts'

describeResultStore('in memory', async () => memoryResults())
describeResultStore('in a folder', async () => folderResults(join(await tempFolder(), 'session', 'results')))

describe('in memory', () => {
  test('the oldest go first when there is no room', async () => {
    const store = memoryResults({ maxBytes: 100 })
    const locators: string[] = []
    for (const letter of ['a', 'b', 'c']) locators.push(await store.keep({ ...request, value: 0, text: letter.repeat(39) }))
    expect(await Promise.all(locators.map(async (locator) => (await store.open(locator))?.bytes))).toEqual([undefined, 39, 39])
  })

  test('what could not fit alone is refused, and the others stay', async () => {
    const store = memoryResults({ maxBytes: 100 })
    const locator = await store.keep({ ...request, value: 0, text: 'a'.repeat(50) })
    await expect(store.keep({ ...request, value: 0, text: 'b'.repeat(100) })).rejects.toThrow('no room')
    expect(await textOf(await store.open(locator))).toBe('a'.repeat(50))
  })

  test('a text that is still coming counts, and a discard gives its room back', async () => {
    const store = memoryResults({ maxBytes: 100 })
    const keeper = await store.keepText(request)
    await keeper.append(Buffer.alloc(60))
    await expect(keeper.append(Buffer.alloc(60))).rejects.toThrow('no room')
    await expect(store.keep({ ...request, value: 0, text: 'a'.repeat(60) })).rejects.toThrow('no room')
    await keeper.discard()
    await keeper.discard()
    await expect(store.keep({ ...request, value: 0, text: 'a'.repeat(99) })).resolves.toMatch(/^result-/)
    await expect(store.keep({ ...request, value: 0, text: 'a'.repeat(100) })).rejects.toThrow('no room')
  })

  test('a limit that is none is refused', () => {
    for (const maxBytes of [0, -1, 1.5, Number.NaN]) expect(() => memoryResults({ maxBytes })).toThrow('maxBytes')
  })
})

describe('in a folder', () => {
  test('what is kept outlives the store, and another finds it', async () => {
    const folder = await tempFolder()
    const locator = await (await folderResults(folder)).keep({ ...request, value: { a: 1 }, text: 'text' })
    const kept = await (await folderResults(folder)).open(locator)
    expect([await textOf(kept), await kept?.value()]).toEqual(['text', { a: 1 }])
  })

  test('nobody else may read it', async () => {
    const folder = join(await tempFolder(), 'results')
    const locator = await (await folderResults(folder)).keep({ ...request, value: 1 })
    const modes = await Promise.all(
      ['', locator, `${locator}/text`, `${locator}/value.json`, `${locator}/about.json`].map(
        async (name) => (await stat(join(folder, name))).mode & 0o777,
      ),
    )
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600, 0o600])
  })

  test('a folder is made when something is kept, not before', async () => {
    const folder = join(await tempFolder(), 'results')
    const store = await folderResults(folder)
    expect(await store.open(`result-${'0'.repeat(24)}`)).toBeUndefined()
    await expect(stat(folder)).rejects.toThrow('ENOENT')
  })

  test('a discard and a refusal leave nothing behind', async () => {
    const folder = await tempFolder()
    const store = await folderResults(folder)
    const keeper = await store.keepText(request)
    await keeper.append(Buffer.from('x'))
    await keeper.discard()
    await keeper.discard()
    await expect(store.keep({ ...request, value: 1n as never })).rejects.toThrow()
    expect(await readdir(folder)).toEqual([])
  })

  test('what was never ended is no result, and goes with the first opening a day later', async () => {
    const folder = await tempFolder({ 'notes.txt': 'not ours' })
    const store = await folderResults(folder)
    const keepers = [await store.keepText(request), await store.keepText(request)]
    for (const keeper of keepers) await keeper.append(Buffer.from('half'))
    const old = new Date(Date.now() - 25 * 60 * 60 * 1000)
    const drafts = (await readdir(folder)).filter((name) => name !== 'notes.txt')
    for (const draft of drafts) await utimes(join(folder, draft), old, old)
    await utimes(join(folder, drafts[0] as string, 'text'), old, old)
    await utimes(join(folder, 'notes.txt'), old, old)
    const again = await folderResults(folder)
    expect((await readdir(folder)).sort()).toEqual(['notes.txt', drafts[1]].sort()) // the other was written to since
    expect(await again.open(drafts[1] as string)).toBeUndefined()
    for (const keeper of keepers) await keeper.discard()
  })

  test('a file where the folder should be is told at once', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'file'), '')
    await expect(folderResults(join(folder, 'file'))).rejects.toThrow('ENOTDIR')
  })
})

describe('the plugin', () => {
  test('provides the store to its scope', async () => {
    const runtime = createRuntime()
    await runtime.plugin(resultTools, { folder: await tempFolder() })
    const store = runtime.get('results')
    expect(await store?.fetch(await store.keep({ ...request, value: 7 }))).toBe(7)
  })

  test('refuses settings that cannot work', async () => {
    const runtime = createRuntime()
    await expect(Promise.resolve(runtime.plugin(resultTools, { folder: 'relative' }))).rejects.toThrow('absolute')
    await expect(Promise.resolve(runtime.plugin(resultTools, { folder: '/', maxBytes: 1 }))).rejects.toThrow('one of')
  })
})
