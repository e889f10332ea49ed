import { describe } from 'vitest'
import type { CreateHost } from './fixtures.ts'
import { executors } from './parity/executors.ts'
import { lifetimes } from './parity/lifetimes.ts'
import { listeners } from './parity/listeners.ts'
import { scopes } from './parity/scopes.ts'
import { services } from './parity/services.ts'
import { waterfalls } from './parity/waterfalls.ts'

/** What a host promises to tools and policies, whichever host it is. */
export function describeHost(name: string, createHost: CreateHost): void {
  describe(name, () => {
    describe('waterfalls', () => waterfalls(createHost))
    describe('scopes', () => scopes(createHost))
    describe('what goes with a plugin', () => lifetimes(createHost))
    describe('listeners', () => listeners(createHost))
    describe('services', () => services(createHost))
    describe('executors and policies', () => executors(createHost))
  })
}
