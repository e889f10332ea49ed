// Makes a checkout ready to run, on a machine that has only Node and npm: installs what the lockfile says when the installed
// tree does not match it, and builds what is stale. Runs before `npm start` and `npm test`; says nothing when all is ready.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamps = join(root, 'node_modules', '.dsh')

assertNode()
if (!isCurrent('install', installKey())) {
  run('Installing dependencies', 'npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error'])
  stamp('install', installKey())
}
if (!isCurrent('build', buildKey())) {
  for (const name of packages()) rmSync(join(root, 'packages', name, 'dist'), { recursive: true, force: true })
  run('Building', process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b'])
  stamp('build', buildKey())
}

function assertNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`dsh needs Node 20.19 or newer, and this is ${process.versions.node}. Install a newer Node and try again.`)
  process.exit(1)
}

/** What an installed tree depends on. */
function installKey() {
  const files = ['package-lock.json', 'package.json', ...packages().map((name) => join('packages', name, 'package.json'))]
  return hash([process.versions.node.split('.')[0], process.platform, process.arch, ...files.map((file) => readFileSync(join(root, file)))])
}

/** What the built packages depend on: every source and configuration, by name, size and time; a deleted one counts too. */
function buildKey() {
  const configs = ['tsconfig.json', 'tsconfig.base.json', ...packages().map((name) => join('packages', name, 'tsconfig.json'))]
  const sources = packages().flatMap((name) => filesBelow(join('packages', name, 'src')))
  const parts = [...configs, ...sources].map((file) => {
    const { size, mtimeMs } = statSync(join(root, file))
    return `${file} ${size} ${mtimeMs}`
  })
  const built = packages().map((name) => existsSync(join(root, 'packages', name, 'dist')))
  return hash([...parts, String(built)])
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

function packages() {
  return readdirSync(join(root, 'packages')).filter((name) => existsSync(join(root, 'packages', name, 'package.json')))
}

function isCurrent(name, key) {
  const file = join(stamps, name)
  return existsSync(join(root, 'node_modules', '.package-lock.json')) && existsSync(file) && readFileSync(file, 'utf8') === key
}

function stamp(name, key) {
  mkdirSync(stamps, { recursive: true })
  writeFileSync(join(stamps, name), key)
}

function hash(parts) {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part).update('\0')
  return digest.digest('hex')
}

function run(what, command, args) {
  console.error(`${what} …`)
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status === 0) return
  console.error(`${what} failed${error ? `: ${error.message}` : '.'} Fix what is said above and run the command again.`)
  process.exit(1)
}
