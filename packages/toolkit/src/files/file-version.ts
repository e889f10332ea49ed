import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'

/** Of larger files no digest is taken: that would cost more than writing them. */
const MAX_DIGEST_BYTES = 1_048_576

/** What a file was when somebody looked at it. */
export interface FileVersion {
  /** Which file it was and when it was last changed, as the system says. `ctime` counts: unlike `mtime` it cannot be set back. */
  readonly stamp: string
  /** SHA-256 of its bytes; only of files up to 1 MiB that were read whole. */
  readonly digest?: string
}

/** The version of a file from its stats, and its bytes where they were all read. */
export function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats, bytes?: Uint8Array): FileVersion {
  const stamp = [dev, ino, size, mtimeNs, ctimeNs].join(':')
  const isSmall = bytes !== undefined && bytes.length <= MAX_DIGEST_BYTES
  return isSmall ? { stamp, digest: createHash('sha256').update(bytes).digest('hex') } : { stamp }
}

/** Whether two versions are of the same content: the same stamp, or bytes known to be the same (a `touch`, a formatter that changed nothing). */
export function isSameVersion(one: FileVersion, other: FileVersion): boolean {
  return one.stamp === other.stamp || (one.digest !== undefined && one.digest === other.digest)
}
