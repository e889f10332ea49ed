// `npm run check`: everything that can be told without running the product. One line a check; a failing one shows its output.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const bin = (name) => join(root, 'node_modules', '.bin', name)
const packages = readdirSync(join(root, 'packages')).filter((name) => existsSync(join(root, 'packages', name, 'package.json')))
const sources = packages
  .flatMap((name) => [`packages/${name}/src`, `packages/${name}/test`])
  .filter((folder) => existsSync(join(root, folder)))

// The later checks read what the compiler wrote: they wait for the first ones, and do not run where those fail.
const first = [
  ['format and lint', bin('biome'), ['ci', '--error-on-warnings', '--colors=off']],
  ['types of the packages', bin('tsc'), ['-b']],
]
const later = [
  ['types of the tests', bin('tsc'), ['-p', 'tsconfig.test.json']],
  ['who imports whom', bin('depcruise'), ['--output-type', 'err-long', ...sources]],
  ['reference tables in docs', process.execPath, ['scripts/docs.mjs', '--check']],
  ['budgets', process.execPath, ['scripts/budgets.mjs'], { tells: true }],
  ['unused code', bin('knip'), ['--no-progress', '--no-config-hints']],
  ['code that only tests reach', bin('knip'), ['--no-progress', '--no-config-hints', '--production', '--include', 'files']],
  ...packages.map((name) => [`package ${name}`, bin('publint'), ['--strict', '--pack', 'npm', `packages/${name}`]]),
]

if (!existsSync(bin('tsc'))) {
  console.error('Nothing is installed yet. Run `node scripts/setup.mjs` first; `npm test` does so itself.')
  process.exit(1)
}
const passed = (await runAll(first)) && (await runAll(later))
process.exit(passed ? 0 : 1)

/** Run checks, two at a time for two cores, and report them in their order. @returns whether all have passed. */
async function runAll(checks) {
  const outcomes = []
  const waiting = checks.entries()
  let reported = 0
  const lane = async () => {
    for (const [index, check] of waiting) {
      outcomes[index] = await run(check)
      for (; outcomes[reported]; reported++) report(outcomes[reported])
    }
  }
  await Promise.all([lane(), lane()])
  return outcomes.every(({ ok }) => ok)
}

/** `tells`: its last line is worth reading when it passes, too. */
function run([name, command, args, { tells } = {}]) {
  const started = Date.now()
  return new Promise((resolve) => {
    const output = []
    const settle = (ok, trouble = '') =>
      resolve({ name, ok, tells, seconds: (Date.now() - started) / 1000, output: Buffer.concat(output) + trouble })
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
    child.on('error', (error) => settle(false, error.message))
    child.on('close', (status, signal) => settle(status === 0, signal ? `It was ended by ${signal}.` : ''))
  })
}

function report({ name, ok, seconds, output, tells }) {
  const gist = tells ? `: ${output.trimEnd().split('\n').pop()}` : ''
  console.log(`${ok ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s)${gist}`)
  if (!ok) console.log(output.trimEnd())
}
