import type { Scope } from '@dsh/tools'
import type { CliIo } from '../cli-io.ts'
import { printableLine } from '../text/printable.ts'

/** Ctrl-C: once cancels and says what is waited for, twice ends at once. */
export interface Cancellation {
  readonly signal: AbortSignal
  readonly interrupted: boolean
  /** Stop listening. */
  end(): void
}

/** Watch for Ctrl-C while calls of a runtime run. */
export function watchInterrupts(io: CliIo, runtime: Scope): Cancellation {
  const controller = new AbortController()
  const running = new Map<object, string>()
  const unwatch = runtime.on(
    'tools/execute',
    async (exec, next) => {
      running.set(exec, exec.name)
      try {
        return await next()
      } finally {
        running.delete(exec)
      }
    },
    { prepend: true },
  )
  const stop = io.onInterrupt(() => {
    if (controller.signal.aborted) return io.exit(130)
    const names = [...running.values()].map(printableLine)
    const waiting = names.length > 0 ? `still stopping: ${names.join(', ')}` : 'nothing is running'
    io.stderr.write(`\nCancelling; ${waiting}. Ctrl-C again ends at once.\n`)
    controller.abort(new DOMException('Interrupted from the keyboard.', 'AbortError'))
  })
  return {
    signal: controller.signal,
    get interrupted() {
      return controller.signal.aborted
    },
    end() {
      stop()
      unwatch()
    },
  }
}
