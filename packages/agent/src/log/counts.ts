import { isEvent, type SessionEvent } from './event.ts'

/** What some events add to the summary of their session. */
export interface EventCounts {
  readonly calls: number
  readonly results: number
  readonly failed: number
}

/** Count the calls, results and failures among events. */
export function countsOf(events: readonly SessionEvent[]): EventCounts {
  let calls = 0
  let results = 0
  let failed = 0
  for (const event of events) {
    if (isEvent(event, 'tool/call')) calls++
    else if (isEvent(event, 'tool/result')) {
      results++
      if (event.data.isError) failed++
    }
  }
  return { calls, results, failed }
}
