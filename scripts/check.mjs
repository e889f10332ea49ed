// `npm run check`: everything that can be told without running the product. One line a check; a failing one shows its output.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const bin = (name) => join(root, 'node_modules', '.bin', name)
const packages = readdirSync(join(root, 'packages'))

const checks = [
  ['format and lint', bin('biome'), ['check', '--error-on-warnings']],
  ['types of the packages', bin('tsc'), ['-b']],
  ['types of the tests', bin('tsc'), ['-p', 'tsconfig.test.json']],
  ['room order and cycles', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', ...packages.map((name) => `packages/${name}/src`)]],
  ['budgets', process.execPath, ['scripts/budgets.mjs']],
  ['unused code', bin('knip'), ['--no-progress']],
  ...packages.map((name) => [`package ${name}`, bin('publint'), ['--strict', '--pack', 'npm', `packages/${name}`]]),
]

for (const [name, command, args] of checks) {
  const started = Date.now()
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  console.log(`${status === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
  if (status === 0) continue
  console.error([error?.message, stdout, stderr].filter(Boolean).join('\n'))
  process.exit(1)
}
