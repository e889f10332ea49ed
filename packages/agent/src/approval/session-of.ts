import type { Agent } from '@dsh/tools'
import type { Session } from '../log/session.ts'

/** The session of an agent, when it is one of this package (of any installed copy), and not a sink of somebody's own. */
export function sessionOf(agent: Agent | undefined): Session | undefined {
  const session = agent?.session as Partial<Session> | undefined
  return typeof session?.log === 'function' && Array.isArray(session.openCalls) ? (session as Session) : undefined
}
