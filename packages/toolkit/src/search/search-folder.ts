import { basename, dirname, resolve } from 'node:path'
import { ToolError } from '@dsh/tools'
import { locate, type WorkspacePath } from '../workspace/locate.ts'
import { assertRegularFile } from '../workspace/open-regular-file.ts'
import type { GlobPattern } from './glob-pattern.ts'

/** Where a search runs. */
export interface SearchPlace {
  /** What was asked for, relative to the root; `.` is the root. */
  readonly path: string
  /** Real absolute folder. */
  readonly folder: string
  /** The one file of the folder to search, when a file was asked for. */
  readonly file?: string
  /** A path below the folder, as one relative to the root. */
  toWorkspacePath(below: string): string
}

/**
 * Find the folder or file to search.
 * @throws ToolError as `locate` does; NOT_A_FILE for a special file; NOT_A_FOLDER for a file where only folders can be searched.
 */
export async function locateSearch(root: string, asked: string, accepts: 'folders' | 'files and folders'): Promise<SearchPlace> {
  const located = await locate(root, asked)
  if (located.stats.isDirectory()) {
    const toWorkspacePath = (below: string) => (located.path === '.' ? below : `${located.path}/${below}`)
    return { path: located.path, folder: located.real, toWorkspacePath }
  }
  assertRegularFile(located.path, located.stats)
  if (accepts === 'folders') {
    const message = `${located.path} is a file, not a folder. Call read to see it, or give glob the folder it is in.`
    throw new ToolError(message, { code: 'NOT_A_FOLDER' })
  }
  return fileSearch(located)
}

function fileSearch(located: WorkspacePath): SearchPlace {
  return { path: located.path, folder: dirname(located.real), file: basename(located.real), toWorkspacePath: () => located.path }
}

/**
 * Flags that spare ripgrep files a glob cannot match. They only narrow: what ripgrep then finds is matched against the glob.
 * A type is used because, unlike `--glob`, it leaves .gitignore in force.
 */
export function narrowingFlags(glob: GlobPattern | undefined): string[] {
  if (glob === undefined) return []
  const flags = glob.namesHidden ? ['--hidden'] : []
  if (glob.lastNames === undefined) return flags
  return [...flags, ...glob.lastNames.map((name) => `--type-add=wanted:${name}`), '--type=wanted']
}

/** A glob as one below the searched folder: models also write it with the absolute path of that folder in front. */
export function globBelow(root: string, asked: string, pattern: string): string {
  const folder = `${resolve(root, asked)}/`
  return pattern.startsWith(folder) ? pattern.slice(folder.length) : pattern
}

/** ripgrep was given `./`, and puts it before every path. */
export function withoutDotSlash(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path
}
