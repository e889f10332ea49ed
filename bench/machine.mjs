// What a reader has to know of where the numbers come from. Never a name or a path of the machine.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'

const here = import.meta.dirname
const modules = join(here, 'node_modules')

/** The Nodes to measure on: the one that runs this, and Node 24 of the npm package `node`. @returns `{ version, path }` of each. */
export function nodes() {
  const own = { version: process.versions.node, path: process.execPath }
  const path = join(modules, 'node24', 'bin', 'node')
  if (own.version.startsWith('24.') || !existsSync(path)) return [own]
  const { stdout } = spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  return [own, { version: stdout.trim(), path }]
}

export function describeMachine() {
  return [
    ['processor', cpus()[0]?.model ?? 'unknown'],
    ['cores', String(availableParallelism())],
    ['memory', `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['system', `${type()} ${release().split('-')[0]}, ${process.arch}`],
    ['date', new Date().toISOString().slice(0, 10)],
  ]
}

/** Every contestant's packages, as `{ name, version, engines }`: what is installed, not what was asked for. */
export function versions() {
  const { dependencies } = readJson(join(here, 'package.json'))
  const compiler = readJson(join(here, '..', 'node_modules', 'typescript', 'package.json'))
  const installed = Object.keys(dependencies)
    .filter((name) => name !== 'node24')
    .map((name) => readJson(join(modules, ...name.split('/'), 'package.json')))
  return [...installed, compiler].map(({ name, version, engines }) => ({ name, version, engines: engines?.node }))
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
