import type { Plugin } from '@dsh/tools'
import { checkConfig, type FileToolsConfig } from './config.ts'
import { readTool } from './read/read-tool.ts'
import { globTool } from './search/glob-tool.ts'
import { grepTool } from './search/grep-tool.ts'

/** Registers `read`, `glob` and `grep` over one workspace folder. */
export const fileTools: Plugin<FileToolsConfig> = {
  name: 'toolkit-files',
  inject: ['tools'],
  apply(host, config) {
    checkConfig(config) // before the first registration, so that nothing is half done
    for (const createTool of [readTool, globTool, grepTool]) host.tools.register(createTool(config))
  },
}
