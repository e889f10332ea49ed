import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeepRequest, KeptResult, ResultStore, TextKeeper } from '@dsh/tools/ports'
import { createLocator, isLocator } from './locator.ts'
import { textOf } from './text-of.ts'

const UNFINISHED = 'unfinished-'
/** Long enough that no living process can still be writing to what has not changed since. */
const ABANDONED_MS = 24 * 60 * 60 * 1000
const CHUNK_BYTES = 65_536
const ONLY_ME = { folder: 0o700, file: 0o600 }

/** What stands beside a kept text. */
interface About {
  readonly v: 1
  readonly tool: string
  readonly bytes: number
  readonly hasValue: boolean
}

/**
 * A store of large results in a folder: they outlive the process. Each has a folder of its own there, named by its locator, which
 * is written under another name and renamed when it is whole. What a process that died left unfinished is removed by
 * the first opening a day later. Only the user who runs this may read what is kept. It has no limit: it goes when the folder is removed.
 * @param folder - absolute; made when something is first kept.
 * @throws Error of the system when something else stands there.
 */
export async function folderResults(folder: string): Promise<ResultStore> {
  await removeAbandoned(folder)
  return new FolderResults(folder)
}

class FolderResults implements ResultStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async keep({ value, text, ...request }: Parameters<ResultStore['keep']>[0]): Promise<string> {
    const json = JSON.stringify(value) // before anything is on the disk
    const keeper = await this.#begin(request)
    try {
      await keeper.append(Buffer.from(text ?? textOf(value)))
      return await keeper.end(json)
    } catch (error) {
      await keeper.discard()
      throw error
    }
  }

  keepText(request: KeepRequest): Promise<TextKeeper> {
    return this.#begin(request)
  }

  async open(locator: string): Promise<KeptResult | undefined> {
    if (!isLocator(locator)) return undefined
    const place = join(this.#folder, locator)
    const about = await readAbout(place)
    if (about === undefined) return undefined
    const { tool, bytes, hasValue } = about
    return {
      tool,
      bytes,
      hasValue,
      text: (from) => chunksFrom(join(place, 'text'), from),
      async value() {
        if (!hasValue) throw new Error(`${locator} is a text and has no value.`)
        return JSON.parse(await readFile(join(place, 'value.json'), 'utf8'))
      },
    }
  }

  async fetch(locator: string) {
    const kept = await this.open(locator)
    return kept?.hasValue ? kept.value() : undefined
  }

  async #begin({ tool }: KeepRequest): Promise<FileKeeper> {
    await mkdir(this.#folder, { recursive: true, mode: ONLY_ME.folder })
    const draft = join(this.#folder, `${UNFINISHED}${randomUUID()}`)
    await mkdir(draft, { mode: ONLY_ME.folder })
    try {
      const handle = await open(join(draft, 'text'), 'wx', ONLY_ME.file)
      return new FileKeeper({ draft, handle, tool, folder: this.#folder })
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
  }
}

interface Draft {
  readonly folder: string
  readonly draft: string
  readonly handle: FileHandle
  readonly tool: string
}

/** Writes one result. What is asked of it happens in order, whether or not the caller waits. */
class FileKeeper implements TextKeeper {
  readonly #draft: Draft
  #bytes = 0
  #closed = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(draft: Draft) {
    this.#draft = draft
  }

  append(bytes: Uint8Array): Promise<void> {
    return this.#next(async () => {
      if (this.#closed) throw new Error('Nothing can be appended to a text after its end.')
      await this.#draft.handle.appendFile(bytes)
      this.#bytes += bytes.length
    })
  }

  /** @param json - the canonical value, when there is one. */
  end(json?: string): Promise<string> {
    return this.#next(async () => {
      if (this.#closed) throw new Error('A text ends once.')
      const { draft, folder, tool } = this.#draft
      await this.#close()
      if (json !== undefined) await writeFile(join(draft, 'value.json'), json, { mode: ONLY_ME.file, flag: 'wx' })
      const about: About = { v: 1, tool, bytes: this.#bytes, hasValue: json !== undefined }
      await writeFile(join(draft, 'about.json'), JSON.stringify(about), { mode: ONLY_ME.file, flag: 'wx' })
      const locator = createLocator()
      await rename(draft, join(folder, locator))
      return locator
    })
  }

  discard(): Promise<void> {
    return this.#next(async () => {
      await this.#close()
      await rm(this.#draft.draft, { recursive: true, force: true }) // after its end nothing has that name any more
    })
  }

  async #close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#draft.handle.close()
  }

  #next<T>(run: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(run)
    this.#last = mine.catch(() => undefined) // whoever asked for it has the error; what comes next may still be a discard
    return mine
  }
}

/** @returns undefined when nothing is kept there. */
async function readAbout(place: string): Promise<About | undefined> {
  try {
    return JSON.parse(await readFile(join(place, 'about.json'), 'utf8'))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** A chunk has a buffer of its own: the reader may keep it. */
async function* chunksFrom(path: string, from = 0): AsyncGenerator<Uint8Array> {
  const handle = await open(path)
  try {
    for (let position = from; ; ) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  } finally {
    await handle.close()
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (!name.startsWith(UNFINISHED)) continue
    const draft = join(folder, name)
    if (Date.now() - (await lastChange(draft)) > ABANDONED_MS) await rm(draft, { recursive: true, force: true })
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return [] // nothing was kept there yet
    throw error
  }
}

/** A folder changes when a name in it does, its text whenever something is appended. */
async function lastChange(draft: string): Promise<number> {
  const times = await Promise.all([draft, join(draft, 'text')].map(changeTime))
  return Math.max(...times)
}

/** What is not there says nothing of when it changed. */
async function changeTime(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
