import type { JsonValue } from '@dsh/tools'
import { EVENT_VERSION, type SessionEvent, type SessionEventMap } from '../src/log/event.ts'

/** A type of event and its data. */
export type Entry = { [K in keyof SessionEventMap]: readonly [K, SessionEventMap[K]] }[keyof SessionEventMap]

/** A log of these events, from seq 1 on; a second passes between any two. */
export function logOf(...entries: readonly Entry[]): SessionEvent[] {
  return entries.map(([type, data], index) => ({
    v: EVENT_VERSION,
    session: 's',
    seq: index + 1,
    time: 1_000 * (index + 1),
    type,
    data: data as JsonValue,
  }))
}

/** `tool/call` of turn 1, step 1. */
export function callEntry(name: string, step = 1): Entry {
  return ['tool/call', { turn: 1, step, callId: `id-${name}`, name, arguments: '{}' }]
}

/** `tool/start` of the call at `seq`. */
export function startEntry(call: number, effects: 'none' | 'idempotent' | 'unknown', attempt = 1): Entry {
  return ['tool/start', { call, attempt, effects, definition: 'd' }]
}

/** A good `tool/result` of the call at `seq`. */
export function resultEntry(call: number, text = 'done'): Entry {
  return ['tool/result', { call, callId: 'id', isError: false, content: [{ type: 'text', text }] }]
}
