// Makes ready what is measured: the peers as the lockfile of this folder says, the workspace built, and copies of our packages installed
// among the peers, as a user has it: a build that goes on meanwhile does not change what is measured.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const root = join(here, '..')
const modules = join(here, 'node_modules')
const stampFile = join(modules, '.dsh-bench')

export function setUp() {
  run(process.execPath, [join(root, 'scripts', 'setup.mjs')], root)
  const lock = createHash('sha256')
    .update(readFileSync(join(here, 'package-lock.json')))
    .update(process.platform + process.arch)
    .digest('hex')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lock) return
  console.error('Installing the peers …')
  // `npm run` hands down the strictness of the workspace, and some peers ask for Node 22 and run on 20 all the same.
  run('npm', ['ci', '--engine-strict=false', '--loglevel=error'], here)
  writeFileSync(stampFile, lock)
}

export function prepareSubjects() {
  for (const subject of ['tools', 'cordis', 'agent', 'toolkit']) {
    const [from, to] = [join(root, 'packages', subject), join(modules, '@dsh', subject)]
    rmSync(to, { recursive: true, force: true })
    for (const part of ['package.json', 'dist']) cpSync(join(from, part), join(to, part), { recursive: true })
  }
}

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] })
  if (status === 0) return
  console.error(`${command} failed${error ? `: ${error.message}` : ''}. Mend what is said above and run the command again.`)
  process.exit(1)
}
