import type { Agent } from '@dsh/tools'
import { isEvent } from '../log/event.ts'
import type { Session } from '../log/session.ts'
import { sessionOf } from './session-of.ts'

/** What "allow for this session" would allow: every call of one tool that one rule asks about. */
export type GrantOffer = {
  readonly tool: string
  /** Digest of the rule: another rule, or a changed one, asks again. */
  readonly rule: string
  /** The same in words. */
  readonly message: string
}

const offers = new WeakMap<object, GrantOffer>()

/** Offer a grant with the request that a call is about to make. */
export function offerGrant(exec: object, offer: GrantOffer): void {
  offers.set(exec, Object.freeze(offer))
}

export function grantOffered(exec: object): GrantOffer | undefined {
  return offers.get(exec)
}

interface Granted {
  readonly rules: Set<string>
  read: number
}

const known = new WeakMap<Session, Granted>()

/** Whether a grant covers the calls of a tool that a rule asks about: one of the agent's session, or of those of the agents above it. */
export function isGranted(agent: Agent | undefined, { tool, rule }: Pick<GrantOffer, 'tool' | 'rule'>): boolean {
  for (let at = agent; at !== undefined; at = (at as { readonly parent?: Agent }).parent) {
    const session = sessionOf(at)
    if (session && grantsOf(session).has(keyOf(tool, rule))) return true
  }
  return false
}

/** The grants in a log, of which only what is new is read. */
function grantsOf(session: Session): ReadonlySet<string> {
  const { events } = session
  let granted = known.get(session)
  if (granted === undefined || granted.read > events.length) granted = { rules: new Set(), read: 0 } // what could not be written did not happen
  known.set(session, granted)
  for (; granted.read < events.length; granted.read++) {
    const event = events[granted.read]
    if (event && isEvent(event, 'approval/granted')) granted.rules.add(keyOf(event.data.tool, event.data.rule))
  }
  return granted.rules
}

function keyOf(tool: string, rule: string): string {
  return `${tool}\n${rule}`
}
