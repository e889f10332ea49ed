import { existsSync } from 'node:fs'
import { type Plugin, type ToolDispatchExecution, ToolError } from '@dsh/tools'
import { printablePath } from '../text/printable-path.ts'

const FILE_KEY = 'file:'

/**
 * Files that exist are written only by who has seen them: a call whose keys (`access` of the definition) name one that its agent has
 * neither read nor written fails with FILE_NOT_READ, before its body. New files pass, and so do tools that declare no file keys, a shell
 * among them. What has been seen is told by the port `fileLedger`, which `fileTools` provides in this scope or one above.
 *
 * It asks around the body, while the call holds its keys, so that a call may read the file in the same batch. What was seen and has changed
 * since is refused by the tools themselves.
 */
export const readBeforeWrite: Plugin = {
  name: 'toolkit-read-before-write',
  inject: ['tools', 'fileLedger'],
  apply(host) {
    host.on('tools/execute', async (exec, next) => {
      const unseen = writtenFiles(exec).filter((file) => isUnseen(file, exec))
      if (unseen.length === 0) return next()
      const [names, them] = [unseen.map(printablePath).join(', '), unseen.length === 1 ? 'it' : 'them']
      throw new ToolError(`You have not read ${names}. Read ${them} first, then send the change anew. Nothing was written.`, {
        code: 'FILE_NOT_READ',
      })
    })

    function isUnseen(file: string, { agent }: ToolDispatchExecution): boolean {
      return host.get('fileLedger')?.lastSeen(agent, `${FILE_KEY}${file}`) === undefined && existsSync(file)
    }
  },
}

/** What throws in here fails the call: of what cannot be told nothing is written. */
function writtenFiles({ definition, arguments: args }: ToolDispatchExecution): string[] {
  const { writes = [] } = definition?.access?.(args) ?? {}
  return writes.filter((key) => key.startsWith(FILE_KEY)).map((key) => key.slice(FILE_KEY.length))
}
