import { describe, expect, test } from 'vitest'
import { settleMicrotasks } from '../../test/fixtures.ts'
import { createGate } from './gate.ts'

describe('the gate', () => {
  test('those who share are inside together', async () => {
    const gate = createGate()
    const leaves = await Promise.all([gate.share(), gate.share(), gate.share()])
    expect(leaves).toHaveLength(3)
  })

  test('an owner is alone: it waits for everyone before, and everyone after waits for it', async () => {
    const gate = createGate()
    const order: string[] = []
    const first = await gate.share()
    const owner = Promise.resolve(gate.own()).then((leave) => {
      order.push('owner')
      return leave
    })
    const later = Promise.resolve(gate.share()).then((leave) => {
      order.push('later')
      return leave
    })
    await settleMicrotasks()
    expect(order).toEqual([])
    first()
    const leaveOwner = await owner
    await settleMicrotasks()
    expect(order).toEqual(['owner'])
    leaveOwner()
    ;(await later)()
    expect(order).toEqual(['owner', 'later'])
  })

  test('nobody overtakes: one who shares waits behind a waiting owner, although others share inside', async () => {
    const gate = createGate()
    const inside = await gate.share()
    let owned = false
    let shared = false
    const owner = Promise.resolve(gate.own()).then((leave) => {
      owned = true
      return leave
    })
    void Promise.resolve(gate.share()).then(() => {
      shared = true
    })
    await settleMicrotasks()
    expect([owned, shared]).toEqual([false, false])
    inside()
    ;(await owner)()
    await settleMicrotasks()
    expect([owned, shared]).toEqual([true, true])
  })

  test('leaving twice is leaving once', async () => {
    const gate = createGate()
    const first = await gate.share()
    const second = await gate.share()
    let owned = false
    void Promise.resolve(gate.own()).then(() => {
      owned = true
    })
    first()
    first()
    await settleMicrotasks()
    expect(owned).toBe(false)
    second()
    await settleMicrotasks()
    expect(owned).toBe(true)
  })
})
