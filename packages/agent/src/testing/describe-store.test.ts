import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSharedMemoryStores } from '../log/memory-store.ts'
import { openSqliteStore } from '../sqlite/door.ts'
import { describeStore } from './describe-store.ts'

const api = { describe, test, expect }

describeStore(api, 'memory', async () => {
  const open = createSharedMemoryStores()
  return { store: open(), another: async () => open(), end: async () => undefined }
})

describeStore(api, 'sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-store-'))
  const opened = [await openSqliteStore({ folder })]
  return {
    store: opened[0]!,
    async another() {
      const store = await openSqliteStore({ folder })
      opened.push(store)
      return store
    },
    async end() {
      for (const store of opened) await store.close()
      rmSync(folder, { recursive: true })
    },
  }
})
