import type { Clock } from '@dsh/tools/ports'
import type { Job } from './job.ts'

/** How long to wait, by which clock, and what ends the waiting. */
export interface Patience {
  readonly ms: number
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Settles when something is true of a job, or when the time is up. @throws the signal's reason, at once. */
export function waitForJob(job: Job, isTrue: () => boolean, { ms, clock, signal }: Patience): Promise<void> {
  if (ms === 0 || isTrue()) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const undo = [
      job.watch(() => {
        if (isTrue()) leave(resolve)
      }),
      clock.after(ms, () => leave(resolve)),
      () => signal.removeEventListener('abort', cancelled),
    ]
    const leave = (settle: () => void) => {
      for (const each of undo) each()
      settle()
    }
    const cancelled = () => leave(() => reject(signal.reason))
    signal.addEventListener('abort', cancelled)
    if (signal.aborted) cancelled()
  })
}
