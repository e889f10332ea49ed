import type { Clock } from '@dsh/tools/ports'

/** Engines fire a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Time as the machine has it. */
export const systemClock: Clock = clockWith((callback, delayMs) => setTimeout(callback, delayMs))

/** The same, whose timers do not keep a process alive. */
export const backgroundClock: Clock = clockWith((callback, delayMs) => setTimeout(callback, delayMs).unref())

function clockWith(start: (callback: () => void, delayMs: number) => NodeJS.Timeout): Clock {
  return {
    now: () => Date.now(),
    after(delayMs, callback) {
      let left = delayMs
      let timer: NodeJS.Timeout
      const arm = () => {
        const step = Math.min(left, LONGEST_TIMER_MS)
        left -= step
        timer = start(left > 0 ? arm : callback, step)
      }
      arm()
      return () => clearTimeout(timer)
    },
  }
}
