import { isUtf8 } from 'node:buffer'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { type FileKind, SNIFF_BYTES, sniff } from '../files/sniff.ts'

const CHUNK_BYTES = 65_536

/** Files up to this size are read whole. */
const WHOLE_BYTES = 8_388_608

/** An open file, with what its bytes say that it is. */
export interface FileSource {
  readonly handle: FileHandle
  readonly kind: FileKind
  /** What it was before the first byte was read. */
  readonly stats: BigIntStats
  /** All of its bytes; absent when it is over 8 MiB, or still growing. */
  readonly whole?: Buffer
  /** Some of its bytes from a position on; none at its end. */
  piece(position: number): Promise<Buffer>
}

/**
 * Look at an open file, whose handle the caller owns. A text that is no UTF-8 counts as Windows-1252, as it does where texts are written back, once all of its bytes were seen.
 * @throws the signal's reason, also from `piece`.
 */
export async function sourceOf(handle: FileHandle, signal: AbortSignal): Promise<FileSource> {
  const stats = await handle.stat({ bigint: true })
  const isLarge = stats.size > WHOLE_BYTES
  const most = isLarge ? SNIFF_BYTES : WHOLE_BYTES
  const start = await readStart(handle, most, signal)
  const kind = sniff(start)
  if (!isLarge && start.length < most) {
    const piece = async (position: number) => {
      signal.throwIfAborted()
      return start.subarray(position, position + CHUNK_BYTES)
    }
    return { handle, kind: wholeKind(kind, start), stats, whole: start, piece }
  }
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  return {
    handle,
    kind,
    stats,
    async piece(position) {
      signal.throwIfAborted()
      return buffer.subarray(0, (await handle.read(buffer, 0, CHUNK_BYTES, position)).bytesRead)
    },
  }
}

function wholeKind(kind: FileKind, bytes: Buffer): FileKind {
  const isOdd = kind.kind === 'text' && kind.encoding === 'utf-8' && kind.bomBytes === 0 && !isUtf8(bytes) && !bytes.includes(0)
  return isOdd ? { ...kind, encoding: 'windows-1252' } : kind
}

/** The first bytes, at most so many; a single read may give less. */
async function readStart(handle: FileHandle, most: number, signal: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = []
  let filled = 0
  while (filled < most) {
    signal.throwIfAborted()
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, most - filled))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, filled)
    if (bytesRead === 0) break
    pieces.push(buffer.subarray(0, bytesRead))
    filled += bytesRead
  }
  return Buffer.concat(pieces)
}
