import type { Readable, Writable } from 'node:stream'

/** What the program touches of the outside. A test gives its own. */
export interface CliIo {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Hear about Ctrl-C. @returns what stops it. */
  onInterrupt(listener: () => void): () => void
  /** Act as if Ctrl-C had been typed: while a prompt is open the terminal gives it as a key. */
  interrupt(): void
  /** Hear that nobody reads standard output any more (`| head`). @returns what stops it. */
  onReaderGone(listener: () => void): () => void
  /** End the process at once. */
  exit(code: number): void
}

/** The process as it is, and its end. */
export interface ProcessIo extends CliIo {
  /** End the process when everything has been written, whatever a plugin left open. Without a reader it ends quietly, with 0 unless it was interrupted. */
  end(code: number): void
}

/** Take hold of the process. */
export function processIo(): ProcessIo {
  const { stdin, stdout, stderr, env } = process
  const leaving = new Set<() => void>()
  let readerGone = false
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      stderr.write(`dsh: standard output cannot be written: ${error.message}\n`)
      process.exit(1)
    }
    readerGone = true
    for (const listener of leaving) listener()
  })
  stderr.on('error', () => undefined) // nobody is left to tell
  // What a prompt or a status line left on the terminal is not to stay there.
  for (const [signal, number] of [
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.once(signal, () => {
      if (stderr.isTTY) stderr.write('\r\u001b[K\u001b[?25h')
      process.exit(128 + number)
    })
  }
  // A body that waits for nothing but its signal keeps no handle of its own: the process waits with it.
  setInterval(() => undefined, 2 ** 30)
  return {
    stdin,
    stdout,
    stderr,
    env,
    cwd: process.cwd(),
    onInterrupt(listener) {
      process.on('SIGINT', listener)
      return () => process.off('SIGINT', listener)
    },
    interrupt: () => void process.emit('SIGINT'),
    onReaderGone(listener) {
      leaving.add(listener)
      return () => leaving.delete(listener)
    },
    exit: (code) => process.exit(code),
    end(code) {
      // What could not be written is told by an event of its own, after this callback.
      stdout.write('', () => stderr.write('', () => setImmediate(() => process.exit(readerGone && code !== 130 ? 0 : code))))
    },
  }
}

/** Everything a stream gives. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer))
  return Buffer.concat(chunks)
}
