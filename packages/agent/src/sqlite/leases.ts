import type { Clock } from '@dsh/tools/ports'
import type Database from 'libsql'
import type { LeaseAnswer, SessionHolder } from '../log/store.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts'

/** How often a holder says that it lives, to those who cannot see its process. */
const RENEW_MS = 15_000
/** After how long without such a sign a holder that cannot be seen counts as dead. */
const DEAD_AFTER_MS = 60_000

/** What a lease looks like in its row. */
export interface LeaseRow {
  readonly lease: string | null
  readonly holder: string | null
  readonly renewed: number | null
}

type Holder = ProcessIdentity & { readonly since: number }

/** The leases that were taken through one store. */
export class Leases {
  readonly #clock: Clock
  readonly #find: Database.Statement
  readonly #take: Database.Statement
  readonly #give: Database.Statement
  readonly #renew: Database.Statement
  readonly #held = new Map<string, string>()
  #stopRenewing: (() => void) | undefined

  constructor(db: Database.Database, clock: Clock) {
    this.#clock = clock
    this.#find = db.prepare('SELECT lease, holder, renewed FROM sessions WHERE id = ?')
    this.#take = db.prepare('UPDATE sessions SET lease = ?, holder = ?, renewed = ? WHERE id = ?')
    this.#give = db.prepare('UPDATE sessions SET lease = NULL, holder = NULL, renewed = NULL WHERE id = ? AND lease = ?')
    this.#renew = db.prepare('UPDATE sessions SET renewed = ? WHERE id = ? AND lease = ?')
  }

  /** Take the lease of a session, within a transaction. Undefined when there is no such session. */
  take(id: string): LeaseAnswer | undefined {
    const [row] = this.#find.all(id) as LeaseRow[]
    if (row === undefined) return undefined
    const holder = this.holderOf(row)
    if (holder) return { kind: 'held', holder }
    const lease = crypto.randomUUID()
    const now = this.#clock.now()
    const own: Holder = { ...ownIdentity(), since: now }
    this.#take.run(lease, JSON.stringify(own), now, id)
    return { kind: 'acquired', lease }
  }

  /** The transaction has ended: the lease is ours, and is kept. */
  taken(id: string, lease: string): void {
    this.#held.set(id, lease)
    this.#stopRenewing ??= this.#clock.after(RENEW_MS, () => this.#renewAll())
  }

  give(id: string, lease: string): void {
    this.#give.run(id, lease)
    if (this.#held.get(id) === lease) this.#held.delete(id)
    if (this.#held.size === 0) this.#stop()
  }

  /** Give back everything. */
  giveAll(): void {
    for (const [id, lease] of [...this.#held]) this.give(id, lease)
  }

  /** Who holds a lease, when they live. */
  holderOf({ lease, holder, renewed }: LeaseRow): SessionHolder | undefined {
    if (lease === null || holder === null) return undefined
    const who = JSON.parse(holder) as Holder
    const isSeen = isAlive(who)
    // One that says it was renewed in the future has a clock ahead of ours, or ours jumped back: it lives.
    const lives = isSeen ?? this.#clock.now() - (renewed ?? 0) < DEAD_AFTER_MS
    return lives ? { host: who.host, pid: who.pid, since: who.since } : undefined
  }

  #renewAll(): void {
    this.#stopRenewing = this.#clock.after(RENEW_MS, () => this.#renewAll())
    try {
      for (const [id, lease] of this.#held) this.#renew.run(this.#clock.now(), id, lease)
    } catch {
      // A busy or full disk: the next sign of life is tried all the same, and an append of ours says what is wrong.
    }
  }

  #stop(): void {
    this.#stopRenewing?.()
    this.#stopRenewing = undefined
  }
}
