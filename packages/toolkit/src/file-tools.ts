import type { Plugin } from '@dsh/tools'
import { checkConfig, type FileToolsConfig } from './config.ts'
import { editTool } from './edit/edit-tool.ts'
import { createFileLedger } from './files/file-ledger.ts'
import { readTool } from './read/read-tool.ts'
import { globTool } from './search/glob-tool.ts'
import { grepTool } from './search/grep-tool.ts'
import { writeTool } from './write/write-tool.ts'

/**
 * Registers `read`, `glob`, `grep` and, unless `readOnly`, `write` and `edit` over one workspace folder. They share the ledger of what each
 * agent has seen, which is provided as `fileLedger`.
 */
export const fileTools: Plugin<FileToolsConfig> = {
  name: 'toolkit-files',
  inject: ['tools'],
  apply(host, config) {
    const { readOnly } = checkConfig(config) // before the first registration, so that nothing is half done
    const ledger = createFileLedger()
    host.provide('fileLedger', ledger)
    host.tools.register(readTool(config, ledger))
    for (const createTool of [globTool, grepTool]) host.tools.register(createTool(config))
    for (const createTool of readOnly ? [] : [writeTool, editTool]) host.tools.register(createTool(config, ledger))
  },
}
