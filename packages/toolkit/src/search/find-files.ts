import type { GlobPattern } from './glob-pattern.ts'
import { byCodeUnit, KeepSmallest } from './keep-smallest.ts'
import { RecordSplitter } from './record-splitter.ts'
import { problemsOf, ripgrep } from './ripgrep.ts'
import { narrowingFlags, type SearchPlace, withoutDotSlash } from './search-folder.ts'

/** More than any path a system allows. */
const MAX_PATH_BYTES = 65_536

/** The files a glob matches. */
export interface FoundFiles {
  /** The first of them by path, relative to the workspace. */
  readonly paths: readonly string[]
  readonly total: number
  /** What could not be read. */
  readonly problems: readonly string[]
}

/**
 * List the files below a folder that a glob matches and no ignore file hides.
 * @throws ToolError SEARCH_FAILED; the signal's reason.
 */
export async function findFiles(place: SearchPlace, glob: GlobPattern, maxPaths: number, signal: AbortSignal): Promise<FoundFiles> {
  const kept = new KeepSmallest<string>(maxPaths, byCodeUnit)
  let total = 0
  const splitter = new RecordSplitter({
    separator: 0,
    maxBytes: MAX_PATH_BYTES,
    createShortener: () => ({ push() {}, end: () => Buffer.alloc(0) }),
    onRecord(record) {
      const below = withoutDotSlash(record.toString())
      if (!glob.matches(below)) return
      total++
      kept.add(place.toWorkspacePath(below))
    },
  })
  const flags = ['--files', '--null', ...narrowingFlags(glob)]
  const end = await ripgrep({ flags, folder: place.folder, signal, onStdout: (chunk) => splitter.push(chunk) })
  return { paths: kept.sorted(), total, problems: problemsOf(end) }
}
