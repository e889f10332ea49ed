import type { BigIntStats } from 'node:fs'
import { ToolError } from '@dsh/tools'
import { count } from '../text/count.ts'
import { printablePath } from '../text/printable-path.ts'
import type { WorkspacePath } from '../workspace/locate.ts'
import { openRegularFile } from '../workspace/open-regular-file.ts'
import { type FileVersion, versionOf } from './file-version.ts'
import { decodeText, type TextFormat } from './text-codec.ts'

/** A text file that was read whole, to be written again. */
export interface TextFile {
  readonly text: string
  readonly format: TextFormat
  /** From before the first byte was read: whatever is written meanwhile makes them old. */
  readonly stats: BigIntStats
  readonly version: FileVersion
}

/** Read a whole text file. @throws ToolError like `openRegularFile`; FILE_TOO_LARGE, BINARY_FILE; the signal's reason. */
export async function readTextFile(file: WorkspacePath, maxBytes: number, signal: AbortSignal): Promise<TextFile> {
  const name = printablePath(file.path)
  const handle = await openRegularFile(file)
  try {
    const stats = await handle.stat({ bigint: true })
    if (stats.size > BigInt(maxBytes)) {
      throw new ToolError(
        `${name} has ${count(Number(stats.size), 'byte')}, more than the ${count(maxBytes, 'byte')} that are changed at once.`,
        {
          code: 'FILE_TOO_LARGE',
        },
      )
    }
    const bytes = await handle.readFile({ signal })
    const decoded = decodeText(bytes)
    if (decoded.kind === 'binary') {
      throw new ToolError(`${name} is not text: it is ${decoded.what}. Use a tool made for that kind of file.`, { code: 'BINARY_FILE' })
    }
    return { text: decoded.text, format: decoded.format, stats, version: versionOf(stats, bytes) }
  } finally {
    await handle.close()
  }
}
