import type { ToolAccess } from '../contract/tool.ts'

/** Who is on one key, and who waits for it, in the order in which they came. */
interface Lane {
  readers: number
  writer: boolean
  readonly waiting: Set<KeyTicket>
}

/**
 * The keys of a runtime. Readers of a key are on it together, a writer alone. First come, first served on each key: whoever comes later
 * waits behind all that wait for a key they share, so that nobody starves; calls with disjoint keys pass each other. A call takes all
 * its keys at once and waits for none while it holds others: there is no deadlock.
 */
export class KeyLocks {
  readonly #lanes = new Map<string, Lane>()

  /** Keys that somebody is on or waits for. */
  get size(): number {
    return this.#lanes.size
  }

  /** Ask for keys. The ticket is `inside` at once when they are free. It must be given back, inside or not. */
  take(access: ToolAccess): KeyTicket {
    const ticket = new KeyTicket(this, access)
    const isFree = [...ticket.keys].every(([key, writes]) => isOpen(this.#lanes.get(key), writes, undefined))
    if (isFree) this.#admit(ticket)
    else for (const key of ticket.keys.keys()) this.#lane(key).waiting.add(ticket)
    return ticket
  }

  /** @internal A ticket is given back: those behind it may enter. */
  giveBack(ticket: KeyTicket): void {
    for (const [key, writes] of ticket.keys) {
      const lane = this.#lane(key)
      if (!ticket.inside) lane.waiting.delete(ticket)
      else if (writes) lane.writer = false
      else lane.readers--
    }
    this.#admitWaiting(ticket.keys.keys())
  }

  /** Let in who may enter now, beginning at these keys: whoever enters makes another the first in line on each key of its own. */
  #admitWaiting(keys: Iterable<string>): void {
    const changed = [...keys]
    for (let key = changed.pop(); key !== undefined; key = changed.pop()) {
      const lane = this.#lane(key)
      const next = first(lane.waiting)
      if (next !== undefined && this.#mayEnter(next)) {
        for (const each of next.keys.keys()) this.#lane(each).waiting.delete(next)
        this.#admit(next)
        changed.push(...next.keys.keys())
      } else if (lane.readers === 0 && !lane.writer && next === undefined) this.#lanes.delete(key)
    }
  }

  #mayEnter(ticket: KeyTicket): boolean {
    return [...ticket.keys].every(([key, writes]) => isOpen(this.#lanes.get(key), writes, ticket))
  }

  #admit(ticket: KeyTicket): void {
    for (const [key, writes] of ticket.keys) {
      const lane = this.#lane(key)
      if (writes) lane.writer = true
      else lane.readers++
    }
    ticket.admit()
  }

  #lane(key: string): Lane {
    let lane = this.#lanes.get(key)
    if (lane === undefined) {
      lane = { readers: 0, writer: false, waiting: new Set() }
      this.#lanes.set(key, lane)
    }
    return lane
  }
}

/** The keys of one call, inside or waiting. */
export class KeyTicket {
  /** Each key, and whether it is written. */
  readonly keys: ReadonlyMap<string, boolean>
  readonly #locks: KeyLocks
  #inside = false
  #over = false
  #settle: (() => void) | undefined

  constructor(locks: KeyLocks, { reads = [], writes = [] }: ToolAccess) {
    this.#locks = locks
    this.keys = new Map([...reads.map((key) => [key, false] as const), ...writes.map((key) => [key, true] as const)])
  }

  get inside(): boolean {
    return this.#inside
  }

  /** @internal */
  admit(): void {
    this.#inside = true
    this.#settle?.()
  }

  /** Wait until it is inside, or given back. @returns undefined when there is nothing to wait for. */
  wait(): Promise<void> | undefined {
    if (this.#inside || this.#over) return undefined
    return new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** Leave the keys, or the wait for them. Idempotent. */
  giveBack(): void {
    if (this.#over) return
    this.#over = true
    this.#locks.giveBack(this)
    this.#settle?.()
  }
}

/** Whether a key has room. `ticket`, when it waits already, must be the first in line; a new one finds nobody waiting. */
function isOpen(lane: Lane | undefined, writes: boolean, ticket: KeyTicket | undefined): boolean {
  if (lane === undefined) return true
  return !lane.writer && !(writes && lane.readers > 0) && first(lane.waiting) === ticket
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  return set.values().next().value
}
