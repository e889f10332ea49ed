import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyLocks, type KeyTicket } from './key-locks.ts'

const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 })
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ reads: keys, writes: keys }) },
    { weight: 2, arbitrary: fc.record({ leaves: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ givesUp: fc.nat() }) },
  ),
  { maxLength: 60 },
)

/** Who came and is not gone, in the order of arrival. */
class Present {
  readonly tickets: KeyTicket[] = []

  pick(inside: boolean, index: number): KeyTicket | undefined {
    const some = this.tickets.filter((ticket) => ticket.inside === inside)
    return some[index % some.length]
  }

  remove(ticket: KeyTicket | undefined): boolean {
    if (ticket === undefined) return false
    this.tickets.splice(this.tickets.indexOf(ticket), 1)
    ticket.giveBack()
    return true
  }

  check(): void {
    for (const [index, ticket] of this.tickets.entries()) {
      const others = this.tickets.filter((other) => other !== ticket)
      const isBarred = others.some((other) => other.inside && conflict(ticket, other))
      const isBehind = this.tickets.slice(0, index).some((other) => !other.inside && shares(ticket, other))
      // inside beside nobody it excludes; outside only for a reason, or somebody would wait for ever
      if (ticket.inside) expect(isBarred).toBe(false)
      else expect(isBarred || isBehind).toBe(true)
    }
  }
}

function shares(a: KeyTicket, b: KeyTicket): boolean {
  return [...a.keys.keys()].some((key) => b.keys.has(key))
}

function conflict(a: KeyTicket, b: KeyTicket): boolean {
  return [...a.keys].some(([key, writes]) => b.keys.has(key) && (writes || b.keys.get(key) === true))
}

test('never two on a key of which one writes, no waiting without a reason, and everybody gets in at last', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const locks = new KeyLocks()
      const present = new Present()
      for (const step of plan) {
        if ('leaves' in step) present.remove(present.pick(true, step.leaves))
        else if ('givesUp' in step) present.remove(present.pick(false, step.givesUp))
        else present.tickets.push(locks.take(step))
        present.check()
      }
      while (present.tickets.length > 0) {
        expect(present.remove(present.pick(true, 0))).toBe(true)
        present.check()
      }
      expect(locks.size).toBe(0)
    }),
    { numRuns: 500 },
  )
})

test('who waits for a key gets it before whoever came later, and is overtaken only by those it shares no key with', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ reads: keys, writes: keys }), { maxLength: 30 }), fc.infiniteStream(fc.nat()), (plan, choices) => {
      const locks = new KeyLocks()
      const entered: KeyTicket[] = []
      const tickets = plan.map((access) => locks.take(access))
      const note = () => entered.push(...tickets.filter((ticket) => ticket.inside && !entered.includes(ticket)))
      note()
      const left = new Set<KeyTicket>()
      while (left.size < tickets.length) {
        const inside = entered.filter((ticket) => !left.has(ticket))
        const next = inside[(choices.next().value as number) % inside.length] as KeyTicket
        left.add(next)
        next.giveBack()
        note()
      }
      for (const [index, ticket] of tickets.entries()) {
        const overtaken = tickets.slice(index + 1).filter((later) => entered.indexOf(later) < entered.indexOf(ticket))
        // those who come in at one moment are noted in the order in which they came
        for (const later of overtaken) expect(shares(ticket, later)).toBe(false)
      }
    }),
    { numRuns: 300 },
  )
})
