import { createHash, randomBytes } from 'node:crypto'
import { type BigIntStats, lstatSync, realpathSync, renameSync } from 'node:fs'
import { type FileHandle, link, mkdir, open, rmdir, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ToolError } from '@dsh/tools'
import { printablePath } from '../text/printable-path.ts'
import { type FileVersion, versionOf } from './file-version.ts'

/** What is written, and where. */
interface WriteRequest {
  /** As the model knows it. */
  readonly path: string
  /** Where it really is. */
  readonly real: string
  readonly bytes: Buffer
  readonly signal: AbortSignal
}

/** A temporary file that has not grown for so long is of a process that died. When it was not: it notices, and writes nothing. */
const ABANDONED_MS = 10_000

/**
 * Replace a file whole or not at all: a temporary file beside it is written, brought to the disk, and takes its name. Mode and owner are
 * kept; other names of the file (hard links) keep the old content, and extended attributes are lost.
 *
 * The temporary file is named by the version it replaces, so that of all processes that write this way one alone can follow a version.
 * @param expected - what the file was when it was read. Between the last look and the new name lies one call of the system, in which a process that writes in another way could still write.
 * @returns the version that now stands there.
 * @throws ToolError FILE_CHANGED, PERMISSION_DENIED, WRITE_FAILED; the signal's reason. Then the file is as it was, and the temporary file is gone.
 */
export async function replaceFile(request: WriteRequest, expected: BigIntStats): Promise<FileVersion> {
  const { path, real } = request
  return throughTemporary(request, expected, async (temporary, written) => {
    // synchronous: nothing of this process comes between the last look and the new name
    const now = lstatSync(real, { bigint: true, throwIfNoEntry: false })
    const isOurs = lstatSync(temporary, { bigint: true, throwIfNoEntry: false })?.ino === written.ino
    if (now === undefined || !isOurs || versionOf(now).stamp !== versionOf(expected).stamp) throw changedNow(path)
    renameSync(temporary, real)
  })
}

function changedNow(path: string): ToolError {
  const message = `${printablePath(path)} was changed by somebody else just now. Read it again. Nothing was written.`
  return new ToolError(message, { code: 'FILE_CHANGED' })
}

/**
 * Make a file that does not exist yet, whole or not at all, and the folders on the way to it.
 * @returns the version that now stands there.
 * @throws ToolError FILE_CHANGED when one of that name appeared meanwhile; PERMISSION_DENIED, WRITE_FAILED; the signal's reason. Then nothing is left.
 */
export async function createFile(request: WriteRequest): Promise<FileVersion> {
  const { path, real } = request
  const folder = dirname(real)
  let firstMade: string | undefined
  try {
    firstMade = await attempt(path, () => mkdir(folder, { recursive: true }))
    return await throughTemporary(request, undefined, async (temporary) => {
      await nameExclusively(temporary, real, request.bytes)
      await unlink(temporary).catch(ignoreMissing)
    })
  } catch (error) {
    if (firstMade !== undefined) await removeEmpty(folder, dirname(firstMade))
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new ToolError(`${printablePath(path)} was made by somebody else just now. Read it first. Nothing was written.`, {
      code: 'FILE_CHANGED',
    })
  }
}

async function throughTemporary(
  { path, real, bytes, signal }: WriteRequest,
  like: BigIntStats | undefined,
  takeName: (temporary: string, written: BigIntStats) => Promise<void>,
): Promise<FileVersion> {
  signal.throwIfAborted()
  if (like) await attempt(path, async () => (await open(real, 'r+')).close()) // whether it may be written: a rename asks the folder alone
  const temporary = join(dirname(real), `.dsh-${like ? claimOf(real, like) : randomBytes(8).toString('hex')}.tmp`)
  const handle = await attempt(path, () => (like ? openClaim(path, temporary) : open(temporary, 'wx', 0o666)))
  try {
    await attempt(path, async () => {
      await handle.writeFile(bytes, { signal })
      if (like) await takeAfter(handle, like)
      await handle.sync()
    })
    const written = await handle.stat({ bigint: true })
    signal.throwIfAborted()
    assertSameFolder(path, dirname(real))
    await attempt(path, () => takeName(temporary, written))
    await syncFolder(dirname(real))
    return await versionNow(handle, written, bytes)
  } catch (error) {
    await unlink(temporary).catch(() => undefined) // what stopped the writing says more than that this is in its way, too
    throw error
  } finally {
    await handle.close()
  }
}

/** The same for all that would replace one version of a file. */
function claimOf(real: string, version: BigIntStats): string {
  return createHash('sha256')
    .update(`${basename(real)}\0${versionOf(version).stamp}`)
    .digest('hex')
    .slice(0, 16)
}

/** @throws ToolError FILE_CHANGED where another process is about to replace the same version; errors of the system. */
async function openClaim(path: string, temporary: string): Promise<FileHandle> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open(temporary, 'wx', 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const { mtimeMs } = await stat(temporary).catch(() => ({ mtimeMs: Date.now() })) // gone: the other has just finished
      if (!isFirst || Date.now() - mtimeMs < ABANDONED_MS) throw changedNow(path)
      await unlink(temporary).catch(ignoreMissing)
    }
  }
}

/** A folder on the way that has become a link since it was looked at would lead the name elsewhere. */
function assertSameFolder(path: string, folder: string): void {
  let real: string | undefined
  try {
    real = realpathSync.native(folder)
  } catch {
    // gone, or out of reach: not the same
  }
  if (real?.normalize() !== folder.normalize()) throw changedNow(path)
}

/** The new name changes `ctime` alone. When more has changed, somebody else has written since, and what stands there is not what was written. */
async function versionNow(handle: FileHandle, written: BigIntStats, bytes: Buffer): Promise<FileVersion> {
  const now = await handle.stat({ bigint: true })
  const isOurs = now.mtimeNs === written.mtimeNs && now.size === written.size
  return versionOf(isOurs ? now : written, bytes)
}

async function takeAfter(handle: FileHandle, { mode, uid, gid }: BigIntStats): Promise<void> {
  const own = await handle.stat({ bigint: true })
  const isOwnerKept = (own.uid === uid && own.gid === gid) || (await tryChown(handle, Number(uid), Number(gid)))
  await handle.chmod(Number(mode) & (isOwnerKept ? 0o7777 : 0o777)) // never another's set-uid bit on a file of ours
}

async function tryChown(handle: FileHandle, uid: number, gid: number): Promise<boolean> {
  try {
    await handle.chown(uid, gid)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return false // only the superuser gives files away
    throw error
  }
}

/** A second name, which fails where one stands already. Where the file system has no links, the file itself is made exclusively. */
async function nameExclusively(temporary: string, real: string, bytes: Buffer): Promise<void> {
  try {
    await link(temporary, real)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    const handle = await open(real, 'wx')
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } catch (cause) {
      await unlink(real).catch(ignoreMissing)
      throw cause
    } finally {
      await handle.close()
    }
  }
}

/** Bring a new name to the disk, where the system can do so for folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined) // a folder that may be written but not listed: the name is there all the same
  try {
    await handle?.sync().catch(() => undefined) // not for folders here: the name comes to the disk in the system's own time
  } finally {
    await handle?.close()
  }
}

async function removeEmpty(folder: string, stop: string): Promise<void> {
  for (let path = folder; path !== stop; path = dirname(path)) {
    if (
      !(await rmdir(path).then(
        () => true,
        () => false,
      ))
    )
      return // somebody else has put something there: it stays
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EROFS: 'the file system is read-only',
  EBUSY: 'it is in use, or mounted by itself',
  ENAMETOOLONG: 'the name is longer than this system allows',
  EFBIG: 'it would be larger than this system allows',
}

/** Do something with a file, and put a failure of the system into words. EEXIST and errors that are no system errors pass. */
async function attempt<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    const { code, syscall } = cause as NodeJS.ErrnoException
    if (syscall === undefined || code === undefined || code === 'EEXIST') throw cause
    const name = printablePath(path)
    if (code === 'EACCES' || code === 'EPERM') {
      throw new ToolError(`${name} may not be written by this user. Nothing was changed.`, { code: 'PERMISSION_DENIED', cause })
    }
    throw new ToolError(`${name} could not be written: ${REASONS[code] ?? code}. Nothing was changed.`, { code: 'WRITE_FAILED', cause })
  }
}
