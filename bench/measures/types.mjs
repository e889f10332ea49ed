// What the types of tools cost the compiler.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { sources } from '../typed-tools.mjs'

export const name = 'Types'
export const target = '200 typed tools in one file: no more than 5 times the `tsc` time that 200 plain typed objects of the same shape cost'
export const notes = [
  '`tsc --noEmit` with `skipLibCheck` in a fresh process each time. All files import `@dsh/tools` and declare one tool with it; what the 200 add',
  'to that is shown beside it.',
]

const COUNT = 200
const folder = join(import.meta.dirname, '..', 'dist', 'types')
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const preload = new URL('../report-cpu.mjs', import.meta.url).href
const COMPILER_OPTIONS = {
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  target: 'ES2023',
  lib: ['ES2023', 'DOM'],
  module: 'NodeNext',
  types: [],
}

export async function run({ compare, perRound, ratio, verdict, timingTable, valueTable, options, isQuick }) {
  const contestants = {}
  for (const [kind, text] of Object.entries(sources(COUNT))) {
    const project = join(folder, kind)
    mkdirSync(project, { recursive: true })
    writeFileSync(join(project, 'tools.mts'), `${text}\n`)
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['tools.mts'] }))
    contestants[kind] = { prepare: () => undefined, run: () => compile(project) }
  }
  await assertChecks()
  const timings = await compare(contestants, { ...options, rounds: isQuick ? 5 : 7, warmUpMs: 1 })
  const added = perRound(timings, (round) => (round.typed - round.base) / (round.plain - round.base))
  const labels = { base: 'one typed tool', plain: `${COUNT} plain objects beside it`, typed: `${COUNT} typed tools beside it` }
  return {
    verdicts: [
      verdict(`${COUNT} typed tools, of ${COUNT} plain objects, the whole of \`tsc\``, ratio(timings.typed, timings.plain), { atMost: 5 }),
      verdict(`what ${COUNT} typed tools add, of what ${COUNT} plain objects add`, added, { atMost: 5 }),
    ],
    tables: [
      timingTable(timings, labels, 'plain'),
      valueTable(
        'What 200 typed tools add, of what 200 plain objects add',
        ['', 'median', 'least', 'most'],
        [['wall', added.wall, added.min, added.max]],
      ),
    ],
  }
}

/** Types that check nothing would be cheap: a body that reads what is not declared must be an error. */
async function assertChecks() {
  const project = join(folder, 'wrong')
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'tools.mts'), sources(1).typed.replace('args.text0x0 ', 'args.undeclared '))
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['tools.mts'] }))
  const passed = await compile(project).catch((error) => {
    if (!error.message.includes('undeclared')) throw error
    return undefined
  })
  if (passed) throw new Error('the compiler let a wrong tool pass')
}

/** @returns the CPU time of the compiler. @throws with what it says. */
async function compile(project) {
  const child = spawn(process.execPath, ['--import', preload, tsc, '-p', project], { stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  const errors = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => errors.push(chunk))
  const status = await new Promise((resolve) => child.on('close', resolve))
  if (status !== 0)
    throw new Error(
      Buffer.concat([...output, ...errors])
        .toString()
        .slice(0, 2_000),
    )
  return { cpuUs: Number(Buffer.concat(errors).toString().trimEnd().split('\n').pop()) }
}
