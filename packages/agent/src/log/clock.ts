import type { Clock } from '@dsh/tools/ports'

/** Time as the machine has it. */
export const systemClock: Clock = clockWith((callback, delayMs) => setTimeout(callback, delayMs))

/** The same, whose timers do not keep a process alive. */
export const backgroundClock: Clock = clockWith((callback, delayMs) => setTimeout(callback, delayMs).unref())

function clockWith(start: (callback: () => void, delayMs: number) => NodeJS.Timeout): Clock {
  return {
    now: () => Date.now(),
    after(delayMs, callback) {
      const timer = start(callback, delayMs)
      return () => clearTimeout(timer)
    },
  }
}
