import type { Plugin } from '@dsh/tools'
import { bashTool } from './bash-tool.ts'
import type { ShellToolsConfig } from './shell-config.ts'

/** Registers `bash` over one workspace folder. A command can do whatever the user of this process can. */
export const shellTools: Plugin<ShellToolsConfig> = {
  name: 'toolkit-shell',
  inject: ['tools', 'clock'],
  apply(host, config) {
    host.tools.register(bashTool(config, host))
  },
}
