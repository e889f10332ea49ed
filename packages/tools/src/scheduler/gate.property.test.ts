import fc from 'fast-check'
import { expect, test } from 'vitest'
import { settleMicrotasks } from '../../test/fixtures.ts'
import { createGate } from './gate.ts'

test('whoever enters when and leaves when: an owner is alone, order is kept, nobody starves', async () => {
  const visits = fc.array(fc.record({ alone: fc.boolean(), leaveFirst: fc.nat(5) }), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(visits, async (plan) => {
      const gate = createGate()
      const inside = new Map<number, () => void>()
      const owners = new Set<number>()
      const entered: number[] = []
      const leave = () => {
        const [id, out] = [...inside][0] ?? []
        if (id === undefined) return false
        inside.delete(id)
        owners.delete(id)
        out?.()
        return true
      }
      for (const [id, { alone, leaveFirst }] of plan.entries()) {
        void Promise.resolve(alone ? gate.own() : gate.share()).then((out) => {
          entered.push(id)
          inside.set(id, out)
          if (alone) owners.add(id)
          expect(owners.size === 0 || inside.size === 1).toBe(true)
        })
        await settleMicrotasks()
        for (let n = 0; n < leaveFirst; n++) leave()
        await settleMicrotasks()
      }
      while (leave()) await settleMicrotasks()
      expect(entered).toEqual(plan.map((_, id) => id))
    }),
    { numRuns: 100 },
  )
}, 60_000)
