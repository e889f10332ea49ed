import { type Agent, ToolError } from '@dsh/tools'
import { printablePath } from '../text/printable-path.ts'
import type { FileLedger } from './file-ledger.ts'
import { type FileVersion, isSameVersion } from './file-version.ts'

/** A file that an agent is about to change. */
interface SeenFile {
  readonly agent: Agent | undefined
  readonly key: string
  readonly path: string
}

/** @throws ToolError FILE_CHANGED when the agent has seen the file and it is not what it saw. What it never saw passes: that is for a policy. */
export function assertUnchanged(ledger: FileLedger, { agent, key, path }: SeenFile, now: FileVersion): void {
  const seen = ledger.lastSeen(agent, key)
  if (seen === undefined || isSameVersion(seen, now)) return
  const message = `${printablePath(path)} has changed since you read it. Read it again, then send the change anew. Nothing was written.`
  throw new ToolError(message, { code: 'FILE_CHANGED' })
}
