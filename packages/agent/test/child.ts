import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** A process of its own, running built code; killed when the test ends. */
export interface Child {
  readonly process: ChildProcess
  /** The next line it prints, as JSON. */
  line(): Promise<unknown>
  /** Kill it with SIGKILL, and wait until it is gone. */
  kill(): Promise<void>
}

/** Start a script of `children/`. `shell` runs before it in the same process: limits, say. */
export function startChild(script: string, args: readonly string[], shell?: string): Child {
  const path = fileURLToPath(new URL(`./children/${script}`, import.meta.url))
  const command = [process.execPath, path, ...args]
  const child = shell
    ? spawn('bash', ['-c', `${shell}; exec "$@"`, 'bash', ...command], { stdio: ['pipe', 'pipe', 'inherit'] })
    : spawn(command[0] as string, command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
  const gone = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    process: child,
    async line() {
      const { value, done } = await lines.next()
      if (done) throw new Error(`${script} ended without a word.`)
      return JSON.parse(value)
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
