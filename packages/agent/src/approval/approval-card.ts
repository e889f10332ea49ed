import type { Agent, JsonValue } from '@dsh/tools'
import { cardOf, digestOf } from '@dsh/tools/executor'
import type { ApprovalRequest } from '@dsh/tools/ports'
import { type GrantOffer, grantOffered } from './grants.ts'
import { hashOf } from './hash.ts'
import { sessionOf } from './session-of.ts'

/** A request as whoever decides sees it. */
export interface ApprovalCard {
  /** Names the request in a decision. */
  readonly id: string
  /** Of tool, definition and arguments: a decision carries it, so that nothing else can be approved than what was shown. */
  readonly digest: string
  readonly tool: string
  readonly callId: string
  /** The `seq` of its `tool/call`, and the session that is in; absent for a call that is not logged. */
  readonly call?: number
  readonly session?: string
  readonly arguments: JsonValue
  readonly argumentsHash: string
  /** `digestOf` the definition that would run. */
  readonly definition: string
  readonly reason?: string
  /** What a person is to read, by locale. */
  readonly displayReason?: Readonly<Record<string, string>>
  /** Ids of the agents from the first one down to the one whose call it is. */
  readonly path: readonly string[]
  /** What `presentCall` makes of the arguments; absent when it makes nothing. */
  readonly view?: JsonValue
  /** What "allow for this session" would allow; absent where it is not offered. */
  readonly grant?: GrantOffer
  /** Milliseconds since the epoch. */
  readonly askedAt: number
  /** When it is denied if nobody has decided; absent for never. */
  readonly expiresAt?: number
}

/** Make the card of a request. */
export async function toCard(
  { exec, reason, displayReason }: ApprovalRequest,
  times: { readonly askedAt: number; readonly expiresAt: number | undefined },
): Promise<ApprovalCard> {
  const { name: tool, definition, callSeq: call } = exec
  const args = exec.arguments as JsonValue // the pipeline has copied and frozen it as JSON
  const [argumentsHash, definitionDigest] = await Promise.all([hashOf(args), definition ? digestOf(definition) : ''])
  const session = call === undefined ? undefined : sessionOf(exec.agent)?.id
  const view = cardOf(() => definition?.presentCall?.(args))
  const grant = grantOffered(exec)
  return Object.freeze({
    id: crypto.randomUUID(),
    digest: await hashOf([tool, definitionDigest, argumentsHash]),
    tool,
    callId: exec.callId,
    ...(session !== undefined && call !== undefined && { session, call }),
    arguments: args,
    argumentsHash,
    definition: definitionDigest,
    ...(reason !== undefined && { reason }),
    ...(displayReason && { displayReason }),
    path: Object.freeze(pathOf(exec.agent)),
    ...(view !== undefined && { view }),
    ...(grant && session !== undefined && { grant }), // it is kept in the log
    askedAt: times.askedAt,
    ...(times.expiresAt !== undefined && { expiresAt: times.expiresAt }),
  })
}

function pathOf(agent: Agent | undefined): readonly string[] {
  const { path } = (agent ?? {}) as { readonly path?: unknown }
  return Array.isArray(path) ? path.map(String) : agent ? [agent.id] : []
}
