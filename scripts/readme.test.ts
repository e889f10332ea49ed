import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'node_modules', '.cache', 'readme')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(['README.md', 'README.zh.md'])(
  'the snippets of %s compile, in their order, under strict TypeScript against the built packages',
  (name) => {
    const text = readFileSync(join(root, name), 'utf8')
    const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
    expect(blocks.length).toBeGreaterThan(3)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, `${name}.ts`), blocks.join('\n'))
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const flags = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2023,dom',
      '--types',
      'node',
      '--skipLibCheck',
    ]
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...flags, join(folder, `${name}.ts`)], { encoding: 'utf8' })
    expect(stdout).toBe('')
    expect(status).toBe(0)
  },
  60_000,
)
