import type { SessionEvent } from '../log/event.ts'
import { History, type HistoryMessage } from './history.ts'

/**
 * The model's history, from the log alone. Every call has exactly one result, next to it, whatever happened: one that the log has none for is
 * answered as a repair of the log would. Contexts follow the results they came with; a message that arrived during a step follows it. Call ids
 * are unique.
 */
export function deriveMessages(events: Iterable<SessionEvent>): readonly HistoryMessage[] {
  return new History().read(Array.isArray(events) ? (events as readonly SessionEvent[]) : [...events]).messages
}
