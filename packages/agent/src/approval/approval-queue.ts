import { systemClock } from '@dsh/tools/executor'
import type { ApprovalAnswer, ApprovalRequest, ApprovalService, Clock } from '@dsh/tools/ports'
import type { Session } from '../log/session.ts'
import { Watchers } from '../log/watchers.ts'
import { type ApprovalCard, toCard } from './approval-card.ts'
import { isCovered, logAsked, logDecided, type Settlement } from './approval-log.ts'
import { type Approver, type ApproverAnswer, toAnswer } from './approver.ts'
import { PendingApproval, type Settled } from './pending-approval.ts'
import { sessionOf } from './session-of.ts'

/** How requests wait. */
export interface ApprovalQueueOptions {
  readonly clock?: Clock
  /** After how many milliseconds an open request is denied. Default half an hour; Infinity: never. */
  readonly expiresMs?: number
  /** What the model reads, and a person after it, when nobody can be asked: which switch would change that. */
  readonly noApprover?: string
}

/** What whoever watches a queue hears. */
export type ApprovalEvent =
  | { readonly kind: 'asked'; readonly card: ApprovalCard }
  | {
      readonly kind: 'decided'
      readonly card: ApprovalCard
      readonly outcome: Settlement['outcome']
      readonly by: string
      readonly note?: string
    }

/** A decision on a request, by somebody who watches. */
export interface ApprovalDecision {
  /** The one of the card that was shown. */
  readonly digest: string
  readonly outcome: 'allowed-once' | 'rejected'
  /** The model reads it with a refusal. */
  readonly note?: string
  /** Allow what the card offers for the whole session. */
  readonly grant?: true
  /** Who decides, for the log and for those who come too late. */
  readonly by: string
}

/** Whether a decision counted; if not, why. */
export type DecisionReceipt = { readonly accepted: true } | { readonly accepted: false; readonly message: string }

/**
 * The approval service: the requests of all agents and sessions that it is mounted for, in one queue. Each is asked about until somebody decides,
 * its caller goes, or it expires; it is logged in the session of its call when it is asked, and durably before it is answered.
 */
export interface ApprovalQueue extends ApprovalService {
  /** The open requests, the oldest first. */
  readonly pending: readonly ApprovalCard[]
  /** Ask this approver, too: one request at a time, the oldest first. @returns what ends that; requests that nobody can decide then are denied. */
  attach(approver: Approver): () => void
  /** Hear what is asked and decided, and decide with {@link decide}: whoever watches counts as somebody who may. @returns what ends that. */
  watch(listener: (event: ApprovalEvent) => void): () => void
  /** Decide on an open request. It counts once, for what the card showed. */
  decide(id: string, decision: ApprovalDecision): DecisionReceipt
}

/** Make an approval service, to be mounted once: `runtime.provide('approval', queue)`. */
export function createApprovalQueue(options: ApprovalQueueOptions = {}): ApprovalQueue {
  return new Queue(options)
}

interface Desk {
  readonly approver: Approver
  /** While it is asked: ends that. */
  asking?: AbortController | undefined
}

const HALF_AN_HOUR_MS = 30 * 60_000
/** How many decisions are remembered for those who come too late. */
const REMEMBERED = 1_000
const EXPIRED = 'The request has expired, and was denied.'

class Queue implements ApprovalQueue {
  readonly #clock: Clock
  readonly #expiresMs: number
  readonly #noApprover: string
  readonly #waiting: PendingApproval<Desk>[] = []
  readonly #desks = new Set<Desk>()
  readonly #watchers = new Watchers<ApprovalEvent>()
  readonly #past = new Map<string, string>()
  #arriving: Promise<unknown> = Promise.resolve()

  constructor({ clock = systemClock, expiresMs = HALF_AN_HOUR_MS, noApprover = 'nobody is there to be asked.' }: ApprovalQueueOptions) {
    if (!(expiresMs > 0)) throw new TypeError(`expiresMs must be a positive number, and is ${String(expiresMs)}.`)
    this.#clock = clock
    this.#expiresMs = expiresMs
    this.#noApprover = noApprover
  }

  get pending(): readonly ApprovalCard[] {
    return this.#waiting.map(({ card }) => card)
  }

  async request(ask: ApprovalRequest): Promise<ApprovalAnswer> {
    if (ask.signal.aborted) return { outcome: 'cancelled' }
    const session = ask.exec.callSeq === undefined ? undefined : sessionOf(ask.exec.agent)
    if (session && (await isCovered(session, ask.exec))) return { outcome: 'allowed-once' }
    const opened = this.#arriving.then(() => this.#open(ask, session))
    this.#arriving = opened.catch(() => undefined) // told to whoever asks
    const pending = await opened
    const { card } = pending
    const settled = await pending.settled
    if (session) await logDecided(session, card, settled)
    if ('error' in settled) throw settled.error
    const { outcome, note, expired } = settled
    return { outcome, ...(note !== undefined && { note }), ...(expired && { expired }) }
  }

  attach(approver: Approver): () => void {
    const desk: Desk = { approver }
    this.#desks.add(desk)
    this.#handOut()
    return () => {
      this.#desks.delete(desk)
      this.#sweep()
      desk.asking?.abort(noAnswerNeeded())
    }
  }

  watch(listener: (event: ApprovalEvent) => void): () => void {
    const stop = this.#watchers.add(listener)
    return () => {
      stop()
      this.#sweep()
    }
  }

  decide(id: string, { digest, outcome, note, grant, by }: ApprovalDecision): DecisionReceipt {
    const refuse = (message: string): DecisionReceipt => ({ accepted: false, message })
    const pending = this.#waiting.find(({ card }) => card.id === id)
    if (pending === undefined) return refuse(this.#past.get(id) ?? 'There is no such request.')
    if (this.#endIfOver(pending)) return refuse(EXPIRED)
    if (digest !== pending.card.digest)
      return refuse('The decision is about another tool, definition or other arguments than the request: look at it again.')
    if (outcome !== 'allowed-once' && outcome !== 'rejected') return refuse('A decision is "allowed-once" or "rejected".')
    if (typeof by !== 'string') return refuse('A decision says who made it.')
    if (grant && pending.card.grant === undefined) return refuse('This call is not offered for the whole session: allow it once.')
    this.#settle(pending, { outcome, by, ...(typeof note === 'string' && { note }), ...(grant && outcome === 'allowed-once' && { grant }) })
    return { accepted: true }
  }

  /** Make the card of a request and ask about it. One after another, so that they are asked about in the order they came. */
  async #open(ask: ApprovalRequest, session: Session | undefined): Promise<PendingApproval<Desk>> {
    const askedAt = this.#clock.now()
    const expiresAt = this.#expiresMs === Number.POSITIVE_INFINITY ? undefined : askedAt + this.#expiresMs
    const pending = new PendingApproval<Desk>(await toCard(ask, { askedAt, expiresAt }))
    if (session) await logAsked(session, pending.card)
    if (this.#canBeDecided(pending)) this.#enqueue(pending, ask.signal)
    else pending.settle({ outcome: 'unavailable', note: this.#noApprover, by: 'nobody' })
    return pending
  }

  #enqueue(pending: PendingApproval<Desk>, caller: AbortSignal): void {
    const withdraw = () => this.#settle(pending, { outcome: 'cancelled', by: 'the caller' })
    caller.addEventListener('abort', withdraw, { once: true })
    pending.onSettled(() => caller.removeEventListener('abort', withdraw))
    pending.onOver(this.#clock, () => this.#endIfOver(pending))
    this.#waiting.push(pending)
    this.#watchers.tell({ kind: 'asked', card: pending.card })
    if (caller.aborted) withdraw()
    this.#handOut()
  }

  /** Give each approver that has nothing to do the oldest request that it has not seen. */
  #handOut(): void {
    for (const desk of this.#desks) {
      const next = desk.asking ? undefined : this.#waiting.find(({ seenBy }) => !seenBy.has(desk))
      if (next) void this.#ask(desk, next)
    }
  }

  async #ask(desk: Desk, pending: PendingApproval<Desk>): Promise<void> {
    const asking = new AbortController()
    desk.asking = asking
    pending.seenBy.add(desk)
    pending.onSettled(() => asking.abort(noAnswerNeeded()))
    const position = this.#waiting.indexOf(pending) + 1
    try {
      const answer = await desk.approver.ask(pending.card, { signal: asking.signal, position, waiting: this.#waiting.length })
      if (this.#desks.has(desk)) this.#answered(desk, pending, toAnswer(answer))
    } catch (error) {
      pending.givenUpBy.add(desk)
      if (!this.#canBeDecided(pending)) this.#settle(pending, { outcome: 'unavailable', by: desk.approver.name, error })
    } finally {
      desk.asking = undefined
      this.#handOut()
    }
  }

  #answered(desk: Desk, pending: PendingApproval<Desk>, { outcome, note, grant }: ApproverAnswer): void {
    if (this.#endIfOver(pending)) return
    pending.givenUpBy.add(desk)
    if (outcome === 'unavailable' && this.#canBeDecided(pending)) return // somebody else may
    const isOffered = grant && outcome === 'allowed-once' && pending.card.grant !== undefined
    this.#settle(pending, { outcome, by: desk.approver.name, ...(note !== undefined && { note }), ...(isOffered && { grant: true }) })
  }

  #canBeDecided({ givenUpBy }: PendingApproval<Desk>): boolean {
    return this.#watchers.size > 0 || [...this.#desks].some((desk) => !givenUpBy.has(desk))
  }

  /** Deny a request whose time is up. @returns whether it is. */
  #endIfOver(pending: PendingApproval<Desk>): boolean {
    if (!pending.isOver(this.#clock.now())) return false
    this.#settle(pending, { outcome: 'cancelled', expired: true, by: 'the clock' })
    return true
  }

  /** Deny what nobody is left to decide. */
  #sweep(): void {
    for (const pending of [...this.#waiting]) {
      if (!this.#canBeDecided(pending)) this.#settle(pending, { outcome: 'unavailable', note: this.#noApprover, by: 'nobody' })
    }
  }

  #settle(pending: PendingApproval<Desk>, settled: Settled): void {
    const at = this.#waiting.indexOf(pending)
    if (at < 0) return // it was settled before: once is enough
    this.#waiting.splice(at, 1)
    const { card } = pending
    const { outcome, by, note, expired } = settled
    this.#remember(card.id, expired ? EXPIRED : `The request has been settled already: ${outcome}, by ${by}.`)
    pending.settle(settled)
    this.#watchers.tell({ kind: 'decided', card, outcome, by, ...(note !== undefined && { note }) })
  }

  #remember(id: string, what: string): void {
    this.#past.set(id, what)
    if (this.#past.size > REMEMBERED) this.#past.delete(this.#past.keys().next().value as string)
  }
}

function noAnswerNeeded(): DOMException {
  return new DOMException('The request needs no answer any more.', 'AbortError')
}
