import { ToolError, type ToolRunContext } from '@dsh/tools'
import { printablePath } from '../text/printable-path.ts'
import type { WorkspacePath } from '../workspace/locate.ts'
import type { FileLedger } from './file-ledger.ts'
import { isSameVersion } from './file-version.ts'
import { type Change, type Hunks, hunksOf } from './hunks.ts'
import { readTextFile } from './read-text-file.ts'
import type { TextEncoding } from './sniff.ts'
import { encodeText, type TextFormat } from './text-codec.ts'
import { replaceFile } from './write-file.ts'

/** For whom a file is changed, and within which limit. */
interface ChangeContext {
  readonly exec: ToolRunContext
  readonly ledger: FileLedger
  readonly key: string
  /** Of the file as it is. */
  readonly maxBytes: number
}

/** A new text, and where it differs from the old one. */
interface Changed {
  readonly text: string
  readonly changes: readonly Change[]
}

/** A file that was changed. */
interface ChangedFile {
  readonly bytes: number
  readonly encoding: TextEncoding
  readonly hunks: Hunks
}

/**
 * Change a text file that exists: what the agent has seen of it must still stand there; encoding and byte-order mark are kept; it is
 * replaced whole or not at all, and noted as seen.
 * @param change - gives the new text, and where it differs.
 * @throws ToolError like `readTextFile`, `encodeText` and `replaceFile`; what `change` throws.
 */
export async function changeFile(
  { path, real, ...file }: WorkspacePath,
  { exec: { agent, signal }, ledger, key, maxBytes }: ChangeContext,
  change: (text: string, format: TextFormat) => Changed | Promise<Changed>,
): Promise<ChangedFile> {
  const old = await readTextFile({ path, real, ...file }, maxBytes, signal)
  const seen = ledger.lastSeen(agent, key) // of what was never seen nothing is known: that is for a policy
  if (seen !== undefined && !isSameVersion(seen, old.version)) {
    const message = `${printablePath(path)} has changed since you read it. Read it again, then send the change anew. Nothing was written.`
    throw new ToolError(message, { code: 'FILE_CHANGED' })
  }
  const { text, changes } = await change(old.text, old.format)
  const bytes = encodeText(text, old.format)
  ledger.note(agent, key, changes.length === 0 ? old.version : await replaceFile({ path, real, bytes, signal }, old.stats))
  return { bytes: bytes.length, encoding: old.format.encoding, hunks: hunksOf(old.text, text, changes) }
}
