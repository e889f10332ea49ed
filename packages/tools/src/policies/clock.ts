import type { Host } from '../contract/host.ts'
import type { Clock } from '../contract/ports.ts'

/** The clock of a host. @throws TypeError when what is provided under that name is none: a deadline that cannot be kept is no deadline. */
export function clockOf(host: Host): Clock {
  const clock = host.get('clock') as Partial<Clock> | undefined
  if (typeof clock?.after !== 'function')
    throw new TypeError('The service provided as "clock" has no after(delayMs, callback), so no time can be kept.')
  return clock as Clock
}
