import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { Plugin, ToolExecution } from '@dsh/tools'
import { printablePath } from '../text/printable-path.ts'
import { contains, MAX_PATH_CHARS } from '../workspace/boundary.ts'

/** Where calls may read and write. */
export interface WorkspaceGuardConfig {
  /** Absolute folders that exist, at least one. Everything below them may be reached. */
  readonly roots: readonly string[]
}

const FILE_KEY = 'file:'
/** As many as Linux follows. */
const MAX_LINKS = 40

/**
 * Denies calls whose keys (`access` of the definition) name a file outside the roots, before their body: `GUARD_DENIED`, with
 * OUTSIDE_WORKSPACE in the reason. Links and `..` are followed in the part of a path that exists; spelling is compared as the
 * system gives it back, never folded, so that a case-insensitive file system needs no rule of its own.
 *
 * A tool that declares no file keys is not seen: a shell reaches what its process may. A hard link is a file like any other.
 * @throws TypeError at the mount for roots that cannot be used.
 */
export const workspaceGuard: Plugin<WorkspaceGuardConfig> = {
  name: 'toolkit-workspace-guard',
  inject: ['tools'],
  apply(host, config) {
    const roots = realRoots(config)
    host.tools.guard((exec) => {
      const strays = filesOf(exec).filter((file) => !roots.some((root) => contains(root, realPlace(file))))
      if (strays.length === 0) return undefined
      return `OUTSIDE_WORKSPACE: ${strays.map(printablePath).join(', ')} lies outside ${roots.map(printablePath).join(', ')}. Choose a path below.`
    })
  },
}

function realRoots(config: WorkspaceGuardConfig): string[] {
  const roots: unknown = (config as WorkspaceGuardConfig | undefined)?.roots
  if (!Array.isArray(roots) || roots.length === 0) throw new TypeError('The workspace guard needs roots: a list of absolute folders.')
  return roots.map((root: unknown) => {
    if (typeof root === 'string' && isAbsolute(root) && statSync(root, { throwIfNoEntry: false })?.isDirectory())
      return realpathSync.native(root)
    throw new TypeError(`The workspace guard needs roots to be absolute folders that exist, and ${JSON.stringify(root)} is not.`)
  })
}

/** What throws in here fails the call: a guard that breaks lets nothing pass. */
function filesOf({ definition, arguments: args }: Readonly<ToolExecution>): string[] {
  const { reads = [], writes = [] } = definition?.access?.(args) ?? {}
  return [...reads, ...writes].filter((key) => key.startsWith(FILE_KEY)).map((key) => key.slice(FILE_KEY.length))
}

/**
 * Where a path leads: the real place of its nearest ancestor that exists, and the names that do not exist yet below. A link
 * to nothing leads to where it points: who writes to it makes a file there. Nothing is shortened by name first, as `..`
 * behind a link climbs from where the link leads.
 * @param links - how many may still be followed.
 * @throws Error for a path that leads nowhere, ever: a link to itself, or one too long.
 */
function realPlace(path: string, links = MAX_LINKS): string {
  if (path.length > MAX_PATH_CHARS) throw new Error(`A path has ${path.length} characters, more than the system opens.`)
  try {
    return realpathSync.native(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(path) === path || links === 0) throw error
    const parent = realPlace(dirname(path), links)
    const place = join(parent, basename(path))
    const isLink = code === 'ENOENT' && lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
    if (!isLink) return place
    const target = readlinkSync(place)
    return realPlace(isAbsolute(target) ? target : `${parent}/${target}`, links - 1)
  }
}
