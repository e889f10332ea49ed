// `npm run bench`: dsh side by side with its peers, on the Node that runs this and on Node 24, written to docs/benchmarks.md.
// `--only call,args`: these measures. `--node 20`: on the Nodes of that major. `--quick`: rough numbers. With any of these, nothing is written.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, nodes, versions } from './machine.mjs'
import { toMarkdown, toText } from './report.mjs'
import { prepareSubjects, setUp } from './set-up.mjs'

const here = import.meta.dirname
/** In the order of the table of targets. */
const MEASURES = ['call', 'cordis', 'listeners', 'result', 'args', 'lookup', 'register', 'batch', 'session', 'loop', 'files', 'types']

const { only, node, quick } = readOptions()
setUp()
prepareSubjects()
const runtimes = nodes().filter(({ version }) => node === undefined || version.split('.')[0] === node)
if (runtimes.length === 0) fail(`There is no Node ${node} here, only ${nodes().map(({ version }) => version)}.`)
const started = Date.now()
const findings = []
for (const file of only ?? MEASURES) {
  for (const runtime of runtimes) findings.push({ runtime, ...(await measure(file, runtime)) })
}
const report = { machine: describeMachine(), versions: versions(), nodes: runtimes.map(({ version }) => version), findings }
if (only || node || quick) console.log('\nPart of the measures, or rough ones: docs/benchmarks.md stays as it is.')
else {
  writeFileSync(join(here, '..', 'docs', 'benchmarks.md'), toMarkdown(report))
  console.log(`\nWrote docs/benchmarks.md after ${Math.round((Date.now() - started) / 1000)} s.`)
}
if (findings.some(({ error }) => error)) process.exitCode = 1

function readOptions() {
  try {
    const { values } = parseArgs({
      options: { only: { type: 'string' }, node: { type: 'string' }, quick: { type: 'boolean' }, help: { type: 'boolean' } },
    })
    if (values.help) {
      console.log(`npm run bench -- [--only ${MEASURES.join(',')}] [--node 20|24] [--quick]`)
      process.exit(0)
    }
    const names = values.only?.split(',')
    const unknown = names?.find((name) => !MEASURES.includes(name))
    if (unknown !== undefined) throw new Error(`There is no measure ${unknown}. There are ${MEASURES.join(', ')}.`)
    return { ...values, only: names }
  } catch (error) {
    return fail(error.message)
  }
}

function fail(message) {
  console.error(message)
  process.exit(2)
}

/** Run one measure in a process of its own. What it prints last is what it found; one that breaks is told, and the others go on. */
async function measure(file, { version, path }) {
  const args = ['--expose-gc', join(here, 'measure.mjs'), file, ...(quick ? ['quick'] : [])]
  const child = spawn(path, args, { cwd: here, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  const errors = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => errors.push(chunk))
  const status = await new Promise((resolve) => child.on('close', resolve))
  if (status !== 0) {
    console.error(`${file} on Node ${version} broke:\n${Buffer.concat(errors)}`)
    return { file, name: file, verdicts: [], tables: [], error: true }
  }
  const found = { file, ...JSON.parse(Buffer.concat(output).toString().trimEnd().split('\n').pop()) }
  console.log(toText(version, found))
  return found
}
