import { type FileVersion, versionOf } from '../files/file-version.ts'
import type { WorkspacePath } from '../workspace/locate.ts'
import { openRegularFile } from '../workspace/open-regular-file.ts'
import { sourceOf } from './file-source.ts'
import type { ReadImageValue } from './image-value.ts'
import type { LineIndex } from './line-index.ts'
import type { WindowLimits } from './line-window.ts'
import { type ImageLimits, readImage } from './read-image.ts'
import type { ReadValue } from './read-value.ts'
import { readWindow } from './read-window.ts'

/** What is asked of a file, whatever it turns out to be. */
export interface ReadRequest {
  /** Which lines of a text. */
  readonly window: WindowLimits
  readonly image: ImageLimits
  readonly index: LineIndex
  readonly signal: AbortSignal
}

/** A file that was read, and which version of it. */
export interface FileRead {
  readonly value: ReadValue | ReadImageValue
  readonly version: FileVersion
}

/** Read a window of a text, or a whole image: what a file is, its first bytes say, not its name. @throws ToolError as its parts do; the signal's reason. */
export async function readFile(file: WorkspacePath, { window, image, index, signal }: ReadRequest): Promise<FileRead> {
  const handle = await openRegularFile(file)
  try {
    const source = await sourceOf(handle, signal)
    const { kind, stats, whole } = source
    const isImage = kind.kind === 'binary' && kind.image !== undefined
    const value = isImage
      ? await readImage(source, file.path, kind, image)
      : pageOf(file.path, window.offset, await readWindow(source, file.path, { limits: window, index, signal }))
    return { value, version: versionOf(stats, whole) }
  } finally {
    await handle.close()
  }
}

function pageOf(path: string, offset: number, { lines, ...facts }: Awaited<ReturnType<typeof readWindow>>): ReadValue {
  const next = offset + lines.length
  const isCut = facts.totalLines === undefined || next <= facts.totalLines
  return { path, offset, lines, ...facts, ...(isCut ? { truncated: true, nextOffset: next } : { truncated: false }) }
}
