import type { Plugin } from '../contract/host.ts'
import type { Clock } from '../contract/ports.ts'
import type { ToolExecutionResult } from '../contract/tool.ts'
import { clockOf } from './clock.ts'

/** How often and how patiently to retry. */
export interface RetryConfig {
  /** Attempts beside the first. Default 2. */
  readonly retries?: number
  /** Wait before the first retry; it doubles with each. Default 200. */
  readonly baseDelayMs?: number
  /** Longest wait. Default 5,000. */
  readonly maxDelayMs?: number
  /** Numbers in [0, 1) for the jitter. Default `Math.random`. */
  readonly random?: () => number
}

/**
 * Repeat what is safe to repeat: only tools whose `effects` is `'none'` or `'idempotent'`, and only failures that the body
 * threw with `retryable: true`. The waits have jitter (half to whole) and end when the call's signal fires.
 */
export const retryPolicy: Plugin<RetryConfig | void> = {
  name: 'tool-call-retry-policy',
  inject: ['clock'],
  apply(host, config) {
    const { retries = 2, baseDelayMs = 200, maxDelayMs = 5_000, random = Math.random } = config ?? {}
    if (!Number.isSafeInteger(retries) || retries < 0)
      throw new TypeError('The retry policy needs retries to be a whole number, 0 or more.')
    if (!(baseDelayMs >= 0 && maxDelayMs >= baseDelayMs)) throw new TypeError('The retry policy needs 0 <= baseDelayMs <= maxDelayMs.')
    host.on('tools/execute', async (exec, next) => {
      const effects = exec.definition?.effects
      let result = await next()
      if ((effects !== 'none' && effects !== 'idempotent') || !isRetryable(result)) return result
      const clock = clockOf(host)
      for (let attempt = 0; attempt < retries && isRetryable(result); attempt++) {
        const delayMs = Math.min(maxDelayMs, baseDelayMs * 2 ** attempt) * (0.5 + random() / 2)
        if (!(await waited(delayMs, exec.signal, clock))) return result
        result = await next()
      }
      return result
    })
  },
}

function isRetryable(result: ToolExecutionResult): boolean {
  return result.isError && result.error.info?.retryable === true
}

/** Wait, or stop waiting when the signal fires. @returns whether the time passed. */
function waited(delayMs: number, signal: AbortSignal, clock: Clock): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const stop = (passed: boolean) => {
      cancel()
      signal.removeEventListener('abort', aborted)
      resolve(passed)
    }
    const aborted = () => stop(false)
    const cancel = clock.after(delayMs, () => stop(true))
    signal.addEventListener('abort', aborted)
  })
}
