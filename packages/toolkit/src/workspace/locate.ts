import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { ToolError } from '@dsh/tools'
import { printablePath } from '../text/printable-path.ts'
import { contains, MAX_PATH_CHARS, outside } from './boundary.ts'
import { missingPath, pathTooLong } from './missing-path.ts'

/** Something that exists inside the workspace. */
export interface WorkspacePath {
  /** Relative to the root, with forward slashes; `.` is the root itself. */
  readonly path: string
  /** Where it really is, all symbolic links resolved: inside the real root. */
  readonly real: string
  readonly stats: Stats
}

/**
 * Find a path of the workspace.
 * @param root - absolute workspace folder.
 * @param asked - relative to the root, or absolute.
 * @throws ToolError INVALID_PATH, WORKSPACE_MISSING, OUTSIDE_WORKSPACE (also through symbolic links), FILE_NOT_FOUND, PERMISSION_DENIED.
 */
export async function locate(root: string, asked: string): Promise<WorkspacePath> {
  if (asked.includes('\0')) {
    throw new ToolError('The path holds a NUL character, which no file name can. Send the path without it.', { code: 'INVALID_PATH' })
  }
  const realRoot = await realRootOf(root)
  const lexical = resolve(root, asked)
  if (lexical.length > MAX_PATH_CHARS) throw pathTooLong()
  const home = [root, realRoot].find((folder) => contains(folder, lexical))
  const found = await resolveLinks(lexical)
  if (found.kind === 'failed') {
    if (home === undefined) throw outside(root, asked) // says nothing about what exists out there
    throw await missingPath({ root, realRoot, asked, lexical, home, cause: found.cause })
  }
  if (!contains(realRoot, found.real)) throw outside(root, asked, home !== undefined)
  const path = home === undefined ? relative(realRoot, found.real) : relative(home, lexical)
  return { path: toPosix(path), real: found.real, stats: found.stats }
}

type Resolved =
  | { readonly kind: 'found'; readonly real: string; readonly stats: Stats }
  | { readonly kind: 'failed'; readonly cause: NodeJS.ErrnoException }

async function resolveLinks(path: string): Promise<Resolved> {
  try {
    const real = await realpath(path)
    return { kind: 'found', real, stats: await stat(real) }
  } catch (cause) {
    return { kind: 'failed', cause: cause as NodeJS.ErrnoException }
  }
}

async function realRootOf(root: string): Promise<string> {
  try {
    return await realpath(root)
  } catch (cause) {
    const message = `The workspace folder ${printablePath(root)} cannot be reached any more. Tell the person who runs this system.`
    throw new ToolError(message, { code: 'WORKSPACE_MISSING', cause })
  }
}

function toPosix(path: string): string {
  return path === '' ? '.' : path.split(sep).join('/')
}
