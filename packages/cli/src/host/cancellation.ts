import type { CliIo } from '../cli-io.ts'
import type { Screen } from '../terminal/screen.ts'
import { printableLine } from '../text/printable.ts'

/** What ends a run from outside: Ctrl-C (once cancels and says what is waited for, twice ends at once), or a reader that went away. */
export interface Cancellation {
  readonly signal: AbortSignal
  readonly interrupted: boolean
  /** Stop listening. */
  end(): void
}

/**
 * Listen for what ends a run, and tell the person what is waited for.
 * @param running - names of the tools whose bodies run now.
 */
export function listenForCancellation(io: CliIo, screen: Screen, running: () => readonly string[]): Cancellation {
  const controller = new AbortController()
  let interrupted = false
  const stopInterrupts = io.onInterrupt(() => {
    if (interrupted) {
      screen.leave()
      return io.exit(130)
    }
    interrupted = true
    const names = running().map(printableLine)
    const waiting = names.length > 0 ? `still stopping: ${names.join(', ')}` : 'nothing is running'
    screen.line(`\nCancelling; ${waiting}. Ctrl-C again ends at once.`)
    controller.abort(new DOMException('Interrupted from the keyboard.', 'AbortError'))
  })
  const stopLeaving = io.onReaderGone(() => {
    controller.abort(new DOMException('Nobody reads the results any more.', 'AbortError'))
  })
  return {
    signal: controller.signal,
    get interrupted() {
      return interrupted
    },
    end() {
      stopInterrupts()
      stopLeaving()
    },
  }
}
