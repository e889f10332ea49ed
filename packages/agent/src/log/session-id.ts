import { SessionError } from './session-error.ts'

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** @throws SessionError SESSION_ID_INVALID */
export function assertSessionId(id: string): void {
  if (typeof id === 'string' && ID.test(id)) return
  const shown = JSON.stringify(String(id).slice(0, 120))
  const message = `${shown} cannot be the id of a session: use 1 to 100 letters, digits, ".", "_" and "-", a letter or digit first.`
  throw new SessionError('SESSION_ID_INVALID', message)
}

/** An id that sorts by time, for a session that nobody named. */
export function newSessionId(now: number = Date.now()): string {
  const [date, time] = new Date(now).toISOString().replaceAll(/[-:]/g, '').split(/[T.]/) as [string, string]
  return `${date}-${time}-${crypto.randomUUID().slice(0, 8)}`
}
