import { isAbsolute } from 'node:path'
import type { Plugin } from '@dsh/tools'
import type { ResultStore } from '@dsh/tools/ports'
import { folderResults } from './folder-results.ts'
import { memoryResults } from './memory-results.ts'
import { readResultTool } from './read-result-tool.ts'

/** Where large results are kept: in memory, in a folder, or in a store of your own. */
export interface ResultToolsConfig {
  /** Absolute folder, best beside the session: what is kept outlives the process. */
  readonly folder?: string
  /** What memory holds at most when no other place is named, in bytes; the oldest go first. 268,435,456 (256 MiB). */
  readonly maxBytes?: number
  /** A store of your own. */
  readonly store?: ResultStore
}

/** Provides the port `results` to its scope, and registers `read_result`. */
export const resultTools: Plugin<ResultToolsConfig | void> = {
  name: 'toolkit-results',
  inject: ['tools'],
  async apply(host, config) {
    const store = await storeOf(config ?? {})
    host.provide('results', store)
    host.tools.register(readResultTool(store))
  },
}

/** @throws TypeError for a configuration that cannot work; the system's error for a folder that cannot be read. */
async function storeOf(config: ResultToolsConfig): Promise<ResultStore> {
  const { folder, maxBytes, store } = config
  if ([folder, maxBytes, store].filter((setting) => setting !== undefined).length > 1) {
    throw new TypeError('The result tools take one of folder, maxBytes (of memory) and store.')
  }
  if (store !== undefined) return store
  if (folder === undefined) return memoryResults(maxBytes === undefined ? {} : { maxBytes })
  if (typeof folder !== 'string' || !isAbsolute(folder) || folder.includes('\0')) {
    throw new TypeError(`The result tools need folder to be an absolute path, and ${JSON.stringify(folder)} is none.`)
  }
  return folderResults(folder)
}
