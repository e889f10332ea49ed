import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { MAX_PATH_CHARS } from './boundary.ts'

/**
 * The key of a file for `access`: what its path really leads to, so that a link, a `..` and another spelling of one file are one key. Of a
 * file that does not exist, the folder it would be in counts. Hard links are keys of their own: to replace one name leaves the others alone.
 */
export function fileKey(root: string, asked: string): string {
  const missing: string[] = []
  const lexical = resolve(root, asked)
  if (lexical.length > MAX_PATH_CHARS) return `file:${lexical}`
  for (let path = lexical; ; path = dirname(path)) {
    const real = realPathOf(path)
    if (real !== undefined) return `file:${join(real, ...missing)}`
    if (dirname(path) === path) return `file:${join(path, ...missing)}`
    missing.unshift(basename(path))
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined // missing, out of reach, or no path at all: the body says which, the key needs only be the same for the same words
  }
}
