import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { ToolError } from '@dsh/tools'
import { printablePath } from '../text/printable-path.ts'
import type { WorkspacePath } from './locate.ts'

/**
 * Open a file for reading. Never blocks on a pipe or device, and never follows a link that appeared after `locate`.
 * The caller closes the handle.
 * @throws ToolError NOT_A_FILE, PERMISSION_DENIED, FILE_NOT_FOUND.
 */
export async function openRegularFile(located: WorkspacePath): Promise<FileHandle> {
  assertRegularFile(located.path, located.stats)
  const handle = await openQuietly(located)
  try {
    assertRegularFile(located.path, await handle.stat())
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** @throws ToolError NOT_A_FILE that says what it is instead. */
export function assertRegularFile(path: string, stats: Stats): void {
  if (stats.isFile()) return
  const name = printablePath(path)
  const message = stats.isDirectory()
    ? `${name} is a folder. Use glob with path ${name} and pattern "**" to list what it holds.`
    : `${name} is ${specialKind(stats)}, not a regular file, and is never opened. Choose a regular file.`
  throw new ToolError(message, { code: 'NOT_A_FILE' })
}

async function openQuietly(located: WorkspacePath): Promise<FileHandle> {
  try {
    return await open(located.real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const name = printablePath(located.path)
    if (code === 'EACCES' || code === 'EPERM') {
      throw new ToolError(`${name} may not be read by this user. Try another file.`, { code: 'PERMISSION_DENIED', cause })
    }
    throw new ToolError(`${name} could not be opened (${code}): it changed just now. Try again.`, { code: 'FILE_NOT_FOUND', cause })
  }
}

function specialKind(stats: Stats): string {
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  return 'a device'
}
