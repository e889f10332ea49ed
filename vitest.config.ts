import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./packages/${path}`, import.meta.url))

// Tests run against the sources: what `dist` would hold is built from them, and `npm test` checks the built packages apart.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@dsh\/tools$/, replacement: source('tools/src/index.ts') },
      { find: /^@dsh\/tools\/(schema|executor|testing)$/, replacement: source('tools/src/$1/door.ts') },
      { find: /^@dsh\/tools\/(presentation|ports)$/, replacement: source('tools/src/contract/$1.ts') },
      { find: /^@dsh\/tools\/policies\/(.*)$/, replacement: source('tools/src/policies/$1.ts') },
      { find: /^@dsh\/toolkit$/, replacement: source('toolkit/src/index.ts') },
      { find: /^@dsh\/agent$/, replacement: source('agent/src/index.ts') },
      { find: /^@dsh\/agent\/events$/, replacement: source('agent/src/log/event.ts') },
      { find: /^@dsh\/agent\/(formats|sqlite|testing)$/, replacement: source('agent/src/$1/door.ts') },
      { find: /^@dsh\/cordis$/, replacement: source('cordis/src/index.ts') },
      { find: /^@dsh\/cli$/, replacement: source('cli/src/index.ts') },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'scripts/*.test.ts'],
    testTimeout: 20_000,
    restoreMocks: true,
  },
})
