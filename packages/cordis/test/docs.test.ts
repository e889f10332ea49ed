import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = join(root, 'node_modules', '.cache', 'cordis-docs')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the code of docs/cordis.md, run in its order on the built packages, prints what it says it prints', () => {
  if (!existsSync(join(root, 'packages/cordis/dist/index.js')))
    throw new Error('@dsh/cordis is not built. Run `npm run build` first; `npm test` does so itself.')
  const text = readFileSync(join(root, 'docs/cordis.md'), 'utf8')
  const code = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block).join('\n')
  const promised = [...code.matchAll(/\/\/ prints (.*)$/gm)].flatMap(([, line]) => line!.split(', then '))
  expect(promised.length).toBeGreaterThan(5)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'docs.mjs'), code)
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'docs.mjs')], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout.trim().split('\n')).toEqual(promised)
})
