import type { Clock } from '../contract/ports.ts'

/** Engines fire a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Sets one timer of the platform, which `clearTimeout` clears. */
export type StartTimer = (callback: () => void, delayMs: number) => ReturnType<typeof setTimeout>

/**
 * Time as the machine has it, with timers of the host's choice: ones that do not keep a process alive, say. Delays may be longer than one
 * timer of the platform can be; an infinite one never ends.
 */
export function createClock(startTimer: StartTimer): Clock {
  return {
    now: () => Date.now(),
    after(delayMs, callback) {
      let left = delayMs
      let timer: ReturnType<typeof setTimeout>
      const arm = () => {
        const step = Math.min(left, LONGEST_TIMER_MS)
        left -= step
        timer = startTimer(left > 0 ? arm : callback, step)
      }
      arm()
      return () => clearTimeout(timer)
    },
  }
}

/** Time as the machine has it. Its timers are looked up as they are set, so that a test can fake them. */
export const systemClock: Clock = createClock((callback, delayMs) => setTimeout(callback, delayMs))
