import { expect, test, vi } from 'vitest'
import { brand, isBranded } from './brand.ts'

class OddError extends Error {}
brand(OddError, 'OddError')

test('an error is recognised by its brand, also where it is a subclass', () => {
  class OdderError extends OddError {}
  expect([isBranded(new OddError(), 'OddError'), isBranded(new OdderError(), 'OddError')]).toEqual([true, true])
  expect([isBranded(new OddError(), 'OtherError'), isBranded(new Error('OddError'), 'OddError')]).toEqual([false, false])
})

test('a brand is not an entry of the error', () => {
  expect(Reflect.ownKeys(new OddError('x'))).not.toContain(Symbol.for('dsh.error'))
  expect(Object.keys(new OddError('x'))).toEqual([])
})

test('two installed copies recognise the errors of each other', async () => {
  const ours = await import('./snapshot.ts')
  vi.resetModules()
  const theirs = await import('./snapshot.ts')
  expect(theirs.JsonValueError).not.toBe(ours.JsonValueError)
  expect(isBranded(new theirs.JsonValueError('$', 'is odd'), 'JsonValueError')).toBe(true)
})

test('nothing that is thrown can break the question', () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  expect([undefined, null, 'text', 1, Symbol('s'), proxy].map((thrown) => isBranded(thrown, 'OddError'))).toEqual(Array(6).fill(false))
})
