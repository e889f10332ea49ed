import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ToolError } from '@dsh/tools'
import { printablePath } from '../text/printable-path.ts'
import { locate, type WorkspacePath } from './locate.ts'
import { assertRegularFile } from './open-regular-file.ts'

/** Where a file is written: over one that exists, or as a new one. */
export type WriteTarget =
  | { readonly kind: 'existing'; readonly file: WorkspacePath }
  | {
      readonly kind: 'new'
      /** Relative to the root, with forward slashes. */
      readonly path: string
      /** Where it will really be. Its folder may be missing, too. */
      readonly real: string
    }

/**
 * Find where a path of the workspace is written.
 * @throws ToolError like `locate`, but a missing file below a folder of the workspace is a new one; NOT_A_FILE.
 */
export async function findWriteTarget(root: string, asked: string): Promise<WriteTarget> {
  try {
    const file = await locate(root, asked)
    assertRegularFile(file.path, file.stats)
    return { kind: 'existing', file }
  } catch (error) {
    if (!(error instanceof ToolError && error.code === 'FILE_NOT_FOUND')) throw error
    return newTarget(root, asked, error)
  }
}

async function newTarget(root: string, asked: string, missing: ToolError): Promise<WriteTarget> {
  if (asked.endsWith('/')) {
    throw new ToolError(`${printablePath(asked)} names a folder. Send the path of a file: folders on the way to it are made.`, {
      code: 'NOT_A_FILE',
    })
  }
  const lexical = resolve(root, asked)
  if (await lstat(lexical).catch(() => undefined)) throw missing // a link that leads nowhere: to write through it would be a guess
  const names = [basename(lexical)]
  for (let folder = dirname(lexical); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch(() => undefined) // missing as well: look one folder up
    if (real === undefined) {
      if (await lstat(folder).catch(() => undefined)) throw missing
      names.unshift(basename(folder))
      continue
    }
    if (!(await stat(real)).isDirectory()) {
      throw new ToolError(`${printablePath(asked)} cannot be made: ${printablePath(folder)} is a file, not a folder.`, {
        code: 'FILE_NOT_FOUND',
      })
    }
    const { path } = await locate(root, folder) // a link on the way may lead out
    return { kind: 'new', path: path === '.' ? names.join('/') : [path, ...names].join('/'), real: join(real, ...names) }
  }
}
