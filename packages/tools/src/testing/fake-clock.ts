import type { Clock } from '../contract/ports.ts'

/** A clock that a test moves. */
export interface FakeClock extends Clock {
  /** Move on, running what falls due, in order. */
  advance(ms: number): void
  /** How many timers are set. */
  readonly pending: number
}

/** Make a clock that stands still until a test moves it. */
export function createFakeClock(startMs = 0): FakeClock {
  let now = startMs
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>()
  const nextDue = (until: number) => [...timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0]
  return {
    now: () => now,
    after(delayMs, callback) {
      const timer = { at: now + delayMs, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(ms) {
      const until = now + ms
      for (let timer = nextDue(until); timer; timer = nextDue(until)) {
        now = timer.at
        timers.delete(timer)
        timer.callback()
      }
      now = until
    },
    get pending() {
      return timers.size
    },
  }
}
