import type { KeepRequest, KeptResult, ResultStore, TextKeeper } from '@dsh/tools/ports'
import { createLocator } from './locator.ts'
import { textOf } from './text-of.ts'

const DEFAULT_MAX_BYTES = 256 * 1024 * 1024

interface Entry {
  readonly tool: string
  readonly chunks: Uint8Array[]
  /** The canonical value as JSON text, in UTF-8. */
  readonly value?: Uint8Array
  textBytes: number
}

/**
 * A store of large results in memory: they go with the process. When there is no room for a new one, the oldest go first.
 * @param options.maxBytes - of all that is kept, what is still being written included; 268,435,456 (256 MiB) by default.
 * @throws TypeError for a limit that is none.
 */
export function memoryResults(options: { readonly maxBytes?: number } = {}): ResultStore {
  const { maxBytes = DEFAULT_MAX_BYTES } = options
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw new TypeError('A store of results needs maxBytes to be a whole number from 1 on.')
  return new MemoryResults(maxBytes)
}

class MemoryResults implements ResultStore {
  /** In the order in which they were kept. */
  readonly #entries = new Map<string, Entry>()
  readonly #maxBytes: number
  /** Of everything. */
  #bytes = 0
  /** Of what has its locator, and so may go. */
  #keptBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  async keep({ tool, value, text }: Parameters<ResultStore['keep']>[0]): Promise<string> {
    const kept = Buffer.from(text ?? textOf(value))
    const entry = { tool, chunks: [kept], textBytes: kept.length, value: Buffer.from(JSON.stringify(value)) }
    this.#takeRoom(sizeOf(entry))
    return this.#add(entry)
  }

  async keepText({ tool }: KeepRequest): Promise<TextKeeper> {
    const entry: Entry = { tool, chunks: [], textBytes: 0 }
    let open = true
    return {
      append: async (bytes) => {
        if (!open) throw new Error('Nothing can be appended to a text after its end.')
        this.#takeRoom(bytes.length)
        entry.chunks.push(Uint8Array.from(bytes)) // a copy: a reader of a pipe may use its buffer again
        entry.textBytes += bytes.length
      },
      end: async () => {
        if (!open) throw new Error('A text ends once.')
        open = false
        return this.#add(entry)
      },
      discard: async () => {
        if (open) this.#bytes -= entry.textBytes
        open = false
      },
    }
  }

  async open(locator: string): Promise<KeptResult | undefined> {
    const entry = this.#entries.get(locator)
    if (entry === undefined) return undefined
    const { tool, value, textBytes, chunks } = entry
    return {
      tool,
      bytes: textBytes,
      hasValue: value !== undefined,
      text: (from) => chunksFrom(chunks, from),
      async value() {
        if (value === undefined) throw new Error(`${locator} is a text and has no value.`)
        return JSON.parse(Buffer.from(value).toString())
      },
    }
  }

  async fetch(locator: string) {
    const kept = await this.open(locator)
    return kept?.hasValue ? kept.value() : undefined
  }

  #add(entry: Entry): string {
    const locator = createLocator()
    this.#entries.set(locator, entry)
    this.#keptBytes += sizeOf(entry)
    return locator
  }

  /** @throws RangeError when it would not fit with all others gone; then none of them goes. */
  #takeRoom(bytes: number): void {
    if (this.#bytes - this.#keptBytes + bytes > this.#maxBytes) {
      throw new RangeError(`The store of results holds ${this.#maxBytes} bytes, and there is no room for ${bytes} more.`)
    }
    for (const [locator, entry] of this.#entries) {
      if (this.#bytes + bytes <= this.#maxBytes) break
      this.#entries.delete(locator)
      this.#bytes -= sizeOf(entry)
      this.#keptBytes -= sizeOf(entry)
    }
    this.#bytes += bytes
  }
}

function sizeOf(entry: Entry): number {
  return entry.textBytes + (entry.value?.length ?? 0)
}

async function* chunksFrom(chunks: readonly Uint8Array[], from = 0): AsyncGenerator<Uint8Array> {
  let skip = from
  for (const chunk of chunks) {
    if (skip < chunk.length) yield chunk.subarray(skip)
    skip = Math.max(0, skip - chunk.length)
  }
}
