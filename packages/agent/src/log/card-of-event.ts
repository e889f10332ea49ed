import type { JsonValue } from '@dsh/tools'
import { isEvent, type SessionEvent } from './event.ts'

/** The card of an event: how a person is shown a call or its result. Undefined when it has none. */
export function cardOfEvent(event: SessionEvent): JsonValue | undefined {
  return isEvent(event, 'tool/call') || isEvent(event, 'tool/result') ? (event.data.view ?? undefined) : undefined
}

/** The same event without its card: all that the model and a repair need of it. */
export function withoutCard(event: SessionEvent): SessionEvent {
  if (cardOfEvent(event) === undefined) return event
  const { view: _, ...data } = event.data as { readonly [name: string]: JsonValue }
  return { ...event, data }
}

/** The same event with a card that was kept apart. */
export function withCard(event: SessionEvent, view: JsonValue): SessionEvent {
  return { ...event, data: { ...(event.data as { readonly [name: string]: JsonValue }), view } }
}
