// Makes a checkout ready to run, on a machine that has only Node and npm: installs what the lockfile says when the installed
// tree does not match it, and builds what is stale. Runs before `npm start` and `npm test`; says nothing when all is ready.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
/** What was there when all was ready last: `{ install, sources, built }`, the keys of then. It goes when node_modules goes. */
const stampFile = join(modules, '.dsh-setup')

assertNode()
const packages = readdirSync(join(root, 'packages')).filter((name) => existsSync(join(root, 'packages', name, 'package.json')))
ensureInstalled()
ensureBuilt()

function assertNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`dsh needs Node 20.19 or newer, and this is ${process.versions.node}. Install a newer Node and try again.`)
  process.exit(1)
}

function ensureInstalled() {
  const install = installKey()
  if (readStamp().install === install && existsSync(join(modules, '.package-lock.json'))) return
  rmSync(stampFile, { force: true })
  console.error('Installing dependencies …')
  // The compiler is a dev dependency: NODE_ENV=production must not leave it out.
  run('Installing dependencies', 'npm', ['ci', '--include=dev', '--loglevel=error'], 'ignore')
  writeStamp({ install })
}

function ensureBuilt() {
  const last = readStamp()
  const sources = sourcesKey() // as they are before the compiler reads them: what changes meanwhile is for the next run
  if (last.sources === sources && last.built === filesKey('dist')) return
  console.error('Building …')
  for (const name of packages) clearDist(join(root, 'packages', name))
  run('Building', process.execPath, [join(modules, 'typescript', 'bin', 'tsc'), '-b'], 2)
  writeStamp({ install: installKey(), sources, built: filesKey('dist') })
}

/** What the installed tree depends on. */
function installKey() {
  const files = ['package-lock.json', 'package.json', ...packages.map((name) => join('packages', name, 'package.json'))]
  const major = process.versions.node.split('.')[0]
  return hash([major, process.platform, process.arch, ...files.map((file) => readFileSync(join(root, file)))])
}

/** What the built packages depend on. */
function sourcesKey() {
  const configs = ['tsconfig.json', 'tsconfig.base.json', ...packages.map((name) => join('packages', name, 'tsconfig.json'))]
  const texts = configs.filter((file) => existsSync(join(root, file))).map((file) => readFileSync(join(root, file)))
  return hash([installKey(), ...texts, filesKey('src')])
}

/** Every file of that folder of every package, by name, size and time. */
function filesKey(folder) {
  const files = packages.flatMap((name) => filesBelow(join(root, 'packages', name, folder)))
  const facts = files.map((file) => {
    const { size, mtimeMs } = statSync(file)
    return `${file} ${size} ${mtimeMs}`
  })
  return hash(facts)
}

/**
 * Take out of a package's `dist` what no source stands for any more, and make the compiler start afresh when something is
 * missing there: it looks at its own record of what it wrote, not at the files.
 */
function clearDist(folder) {
  const [src, dist] = [join(folder, 'src'), join(folder, 'dist')]
  const isShipped = (path) => /(?<!\.d)\.tsx?$/.test(path) && !/\.test(-d)?\.tsx?$/.test(path)
  const stems = new Set(
    filesBelow(src)
      .filter(isShipped)
      .map((path) => path.slice(src.length).replace(/\.tsx?$/, '')),
  )
  const missing = new Set(stems)
  for (const path of filesBelow(dist)) {
    const stem = path.slice(dist.length).replace(/(\.d\.ts|\.js)(\.map)?$/, '')
    if (path.endsWith('.js')) missing.delete(stem)
    if (!stems.has(stem) && !path.endsWith('.tsbuildinfo')) rmSync(path, { force: true })
  }
  for (const path of foldersBelow(dist).reverse()) if (readdirSync(path).length === 0) rmdirSync(path)
  if (missing.size > 0) rmSync(join(dist, '.tsbuildinfo'), { force: true })
}

function filesBelow(folder) {
  return entriesBelow(folder).flatMap(({ path, isFolder }) => (isFolder ? [] : [path]))
}

function foldersBelow(folder) {
  return entriesBelow(folder).flatMap(({ path, isFolder }) => (isFolder ? [path] : []))
}

function entriesBelow(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    const isFolder = entry.isDirectory()
    return isFolder ? [{ path, isFolder }, ...entriesBelow(path)] : [{ path, isFolder }]
  })
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'))
  } catch {
    return {} // none yet, or not one of ours: everything is done again
  }
}

function writeStamp(stamp) {
  writeFileSync(stampFile, `${JSON.stringify(stamp)}\n`)
}

function hash(parts) {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part).update('\0')
  return digest.digest('hex')
}

/** Run a command to its end, its errors on our own stderr and its output on `stdout`; where it fails, so do we. */
function run(what, command, args, stdout) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', stdout, 2] })
  if (status === 0) return
  console.error(`${what} failed${error ? `: ${error.message}` : ''}. Mend what is said above and run the command again.`)
  process.exit(1)
}
