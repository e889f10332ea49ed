import type { JsonValue } from '@dsh/tools'
import { expectTypeOf, test } from 'vitest'
import { isEvent, type SessionEvent, type SessionEventMap } from './event.ts'
import type { Session } from './session.ts'

declare module '@dsh/agent/events' {
  interface SessionEventMap {
    'todo/write': { readonly items: readonly string[] }
  }
}

test('a plugin adds events of its own by declaration', () => {
  expectTypeOf<SessionEventMap['todo/write']>().toEqualTypeOf<{ readonly items: readonly string[] }>()
  const write = (session: Session) => {
    void session.log('todo/write', { items: ['a'] })
    // @ts-expect-error: the data is not that of this event
    void session.log('todo/write', { items: [1] })
    // @ts-expect-error: there is no such event
    void session.log('todo/wrote', { items: [] })
  }
  expectTypeOf(write).returns.toBeVoid()
})

test('every event of the map is JSON, and is narrowed by its type', () => {
  expectTypeOf<SessionEventMap[keyof SessionEventMap]>().toExtend<JsonValue>()
  const read = (event: SessionEvent) => {
    if (isEvent(event, 'tool/start')) expectTypeOf(event.data.attempt).toBeNumber()
    else expectTypeOf(event.data).toEqualTypeOf<JsonValue>()
  }
  expectTypeOf(read).returns.toBeVoid()
})
