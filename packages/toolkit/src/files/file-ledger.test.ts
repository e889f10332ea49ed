import { expect, test } from 'vitest'
import { createFileLedger } from './file-ledger.ts'

const version = (stamp: number) => ({ stamp: String(stamp) })

test('the ledger knows the last version of each of the ten thousand files an agent saw last', () => {
  const ledger = createFileLedger()
  const [agent, other] = [{ id: 'a' }, { id: 'a' }]
  for (let file = 0; file < 10_000; file++) ledger.note(agent, String(file), version(1))
  ledger.note(agent, '0', version(2)) // seen again: the last one now
  ledger.note(agent, 'one more', version(1))
  expect(ledger.lastSeen(agent, '0')).toEqual(version(2))
  expect(ledger.lastSeen(agent, '1')).toBeUndefined()
  expect(ledger.lastSeen(agent, '2')).toEqual(version(1))
  expect([ledger.lastSeen(other, '0'), ledger.lastSeen(undefined, '0')]).toEqual([undefined, undefined])
  ledger.note(undefined, '0', version(3))
  expect(ledger.lastSeen(undefined, '0')).toEqual(version(3))
})
