// The standard tools on files, beside the plainest way to do the same: ripgrep alone, reading a file whole, replacing a text by hand.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileTools } from '@dsh/toolkit'
import { createRuntime } from '@dsh/tools'
import { rgPath } from '@vscode/ripgrep'

export const name = 'Files'
export const target =
  '`grep` and `glob` within 1.3 times plain ripgrep on a tree of 50,000 files; the middle of a file of 100 MB without reading it whole; `edit` of a file of 10 MB within 3 times reading, replacing and writing it plainly with fsync'
export const notes = [
  'Searches: 500 folders of 100 files of about 600 bytes, in the page cache. Plain: `rg` as a process whose output is collected as text. Wall time counts: most of the work is done by ripgrep, in its own process.',
  'The middle: 500 lines from number 600,000 of a file of 1.2 million lines; what was read is what the system counted for this process (`rchar`), where it counts. `again`: with the index that the first made.',
  'The edit: one text that stands once, in the middle of the file; by hand: `readFile`, `replace`, `write`, `sync`, in place. Ours makes a new file, syncs it, and puts it in the place of the old.',
]

const FOLDERS = 500
const FILES = 100
const LINES = 1_200_000
const MIDDLE = { path: 'long.txt', offset: LINES / 2, limit: 500 }

export async function run({ compare, ratio, verdict, timingTable, valueTable, options }) {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-bench-files-'))
  try {
    const root = plantTree(folder)
    const slow = { ...options, rounds: Math.min(options.rounds, 11) }
    const search = await compare(searches(root), slow)
    const long = plantLong(folder)
    const middle = await compare(middles(folder, long), slow)
    const edit = await compare(edits(folder), slow)
    const bytes = await bytesRead(folder)
    return {
      verdicts: [
        verdict('grep, of ripgrep', ratio(search.grep, search.rgGrep).wall, { atMost: 1.3 }),
        verdict('glob, of ripgrep', ratio(search.glob, search.rgGlob).wall, { atMost: 1.3 }),
        ...(bytes ? [verdict('read for the middle of 100 MB, of the file', bytes.first / bytes.size, { atMost: 0.6 })] : []),
        ...(bytes ? [verdict('read for it again, of the file', bytes.again / bytes.size, { atMost: 0.05 })] : []),
        verdict('edit of 10 MB, of doing it by hand', ratio(edit.ours, edit.plain), { atMost: 3 }),
      ],
      tables: [
        timingTable(search, { grep: 'grep', rgGrep: 'rg for lines', glob: 'glob', rgGlob: 'rg for paths' }, 'rgGrep', 'A search'),
        timingTable(middle, { first: 'read', again: 'read, again', whole: 'readFile and split' }, 'whole', 'The middle of 100 MB'),
        timingTable(edit, { ours: 'edit', plain: 'by hand' }, 'plain', 'An edit of 10 MB'),
        ...(bytes
          ? [
              valueTable(
                'Read from the file',
                ['', 'MB'],
                [
                  ['the file', bytes.size / 1e6],
                  ['the middle', bytes.first / 1e6],
                  ['the middle, again', bytes.again / 1e6],
                ],
              ),
            ]
          : []),
      ],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function plantTree(parent) {
  const root = join(parent, 'tree')
  const line = 'the quick brown fox jumps over the lazy dog, again and again\n'
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(root, `part-${folder % 20}`, `folder-${folder}`)
    mkdirSync(path, { recursive: true })
    for (let file = 0; file < FILES; file++) {
      const hasNeedle = file === 7 && folder % 5 === 0
      writeFileSync(join(path, `file-${file}.${file === 3 ? 'md' : 'ts'}`), `${line.repeat(9)}${hasNeedle ? 'a needle42 in it\n' : ''}`)
    }
  }
  return root
}

function searches(root) {
  const tools = runtimeOver(root)
  return {
    grep: run1(async () => {
      const { value } = await tools.call('grep', { pattern: 'needle[0-9]+' })
      if (value.total !== FOLDERS / 5) throw new Error(`grep found ${value.total}`)
    }),
    rgGrep: run1(() => ripgrep(root, ['--line-number', '--regexp=needle[0-9]+', './'], FOLDERS / 5)),
    glob: run1(async () => {
      const { value } = await tools.call('glob', { pattern: '**/*.md' })
      if (value.total !== FOLDERS) throw new Error(`glob found ${value.total}`)
    }),
    rgGlob: run1(() => ripgrep(root, ['--files', '--glob=**/*.md', './'], FOLDERS)),
  }
}

async function ripgrep(cwd, args, lines) {
  const child = spawn(rgPath, ['--no-config', '--no-require-git', ...args], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  await new Promise((resolve) => child.on('close', resolve))
  const found = Buffer.concat(chunks).toString().trimEnd().split('\n').length
  if (found !== lines) throw new Error(`ripgrep found ${found}`)
}

/** Lines of about 84 bytes: 100 MB. */
function plantLong(folder) {
  const path = join(folder, MIDDLE.path)
  const lines = Array.from({ length: LINES }, (_, n) => `${String(n + 1).padStart(8)} ${'words of a long file '.repeat(4).slice(0, 74)}\n`)
  writeFileSync(path, lines.join(''))
  return path
}

function middles(folder, long) {
  const known = runtimeOver(folder)
  const check = ({ lines }) => {
    if (!lines.at(-1).text.startsWith(String(LINES / 2 + MIDDLE.limit - 1).padStart(8))) throw new Error('another line')
  }
  return {
    first: run1(async () => check((await runtimeOver(folder).call('read', MIDDLE)).value)),
    again: run1(async () => check((await known.call('read', MIDDLE)).value)),
    whole: run1(async () => {
      const lines = (await readFile(long, 'utf8')).split('\n').slice(LINES / 2 - 1, LINES / 2 + MIDDLE.limit - 1)
      check({ lines: lines.map((text) => ({ text })) })
    }),
  }
}

/** What the system says that this process read for it; undefined where it does not say. */
async function bytesRead(folder) {
  const tools = runtimeOver(folder)
  const count = async () => {
    const before = readChars()
    await tools.call('read', MIDDLE)
    return readChars() - before
  }
  if (readChars() === undefined) return undefined
  return { first: await count(), again: await count(), size: readFileSync(join(folder, MIDDLE.path)).length }
}

function readChars() {
  if (process.platform !== 'linux') return undefined
  return Number(/^rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'latin1'))[1])
}

function edits(folder) {
  const half = 'a line of the file that is edited here\n'.repeat(128_000)
  const texts = ['the one place to edit, as it was\n', 'the one place to edit, as it is now\n']
  const plant = (name) => writeFileSync(join(folder, name), `${half}${texts[0]}${half}`)
  for (const name of ['ours.txt', 'plain.txt']) plant(name)
  const turns = { ours: 0, plain: 0 }
  const next = (who) => {
    const turn = turns[who]++
    return [texts[turn % 2], texts[(turn + 1) % 2]]
  }
  const tools = runtimeOver(folder)
  return {
    ours: run1(async () => {
      const [oldText, newText] = next('ours')
      const { isError, error } = await tools.call('edit', { path: 'ours.txt', edits: [{ oldText, newText }] })
      if (isError) throw new Error(error.message)
    }),
    plain: run1(async () => {
      const [oldText, newText] = next('plain')
      const path = join(folder, 'plain.txt')
      const before = await readFile(path, 'utf8')
      const handle = await open(path, 'w')
      await handle.writeFile(before.replace(oldText, newText))
      await handle.sync()
      await handle.close()
    }),
  }
}

function runtimeOver(root) {
  const runtime = createRuntime()
  runtime.plugin(fileTools, { root })
  return runtime
}

/** A job that is long enough to be timed alone. */
function run1(run) {
  return { prepare: () => undefined, run }
}
