import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const HOST = fileURLToPath(new URL('./children/file-host.mjs', import.meta.url))

interface FileHost {
  readonly kind: 'edit' | 'write'
  readonly name: string
  readonly times: number
  /** How large a file it may write. */
  readonly fileKiB?: number
}

/** A process that changes the file `f` of a folder: see there. Its standard output has a line for each call. */
export function startFileHost(folder: string, { kind, name, times, fileKiB }: FileHost): ChildProcessByStdio<null, Readable, null> {
  const limited = `ulimit -f ${fileKiB ?? 'unlimited'}; exec "$0" "$@"`
  const args = ['-c', limited, process.execPath, HOST, kind, name, String(times)]
  return spawn('bash', args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
}
