import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const from = (path: string) => fileURLToPath(new URL(path, import.meta.url))
/** All that is installed: ours, and what Cordis is made of. */
const packages = [
  from('../../tools'),
  from('..'),
  ...['@deepseek-ai/cordis', '@deepseek-ai/cosmokit', '@standard-schema/spec'].map((name) => from(`../../../node_modules/${name}`)),
]
const plugins = ['word-count', 'gate', 'deadline']
let folder: string
let tarballs: Readonly<Record<string, string>>

const run = (cwd: string, command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' })

beforeAll(() => {
  if (!existsSync(from('../dist/index.js')))
    throw new Error('@dsh/cordis is not built. Run `npm run build` first; `npm test` does so itself.')
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'dsh-alias-')))
  const packed = run(folder, 'npm', 'pack', '--json', '--ignore-scripts', '--offline', ...packages)
  const files: readonly { readonly name: string; readonly filename: string }[] = JSON.parse(packed)
  tarballs = Object.fromEntries(files.map(({ name, filename }) => [name, `file:${join(folder, filename)}`]))
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Install the application with what its package.json says by the recipe. @returns its folder. */
function install(application: string, recipe: { readonly dependencies: object; readonly overrides: object }): string {
  const { '@deepseek-ai/cordis': cordis, '@dsh/cordis': _ours, ...transitive } = tarballs
  const target = join(folder, application)
  cpSync(from('./alias'), target, { recursive: true })
  const own = Object.fromEntries(plugins.map((name) => [name, `file:./${name}`]))
  const manifest = {
    name: application,
    private: true,
    type: 'module',
    dependencies: { ...recipe.dependencies, ...own, '@deepseek-ai/cordis': cordis },
    overrides: { ...recipe.overrides, ...transitive }, // the tarballs take the place of the registry, which this test does without
  }
  writeFileSync(join(target, 'package.json'), JSON.stringify(manifest))
  run(target, 'npm', 'install', '--offline', '--install-links', '--ignore-scripts', '--no-audit', '--no-fund')
  return target
}

describe('three plugins written for @deepseek-ai/dsh-tools, a tool, a permission gate and a timeout', () => {
  test.each([
    ['overridden', '@dsh/cordis'],
    ['aliased', '@deepseek-ai/dsh-tools'],
  ])('run %s, the service being mounted from %s', (application, service) => {
    const ours = tarballs['@dsh/cordis']
    const target = install(application, {
      dependencies: { [service]: ours },
      overrides: { '@deepseek-ai/dsh-tools': application === 'aliased' ? '$@deepseek-ai/dsh-tools' : ours },
    })
    const installed = JSON.parse(readFileSync(join(target, 'node_modules/@deepseek-ai/dsh-tools/package.json'), 'utf8'))
    expect(installed.name).toBe('@dsh/cordis')
    expect(existsSync(join(target, 'node_modules/@dsh/cordis'))).toBe(application === 'overridden')
    expect(JSON.parse(run(target, 'node', 'main.js', service))).toEqual({
      counted: { isError: false, text: '3 words in "one two three"' },
      invalid: { isError: true, code: 'INVALID_ARGS', text: expect.stringContaining('text') },
      denied: { isError: true, code: 'DENIED', text: expect.stringContaining('the arguments name hunter2') },
      late: { isError: true, code: 'TOOL_TIMEOUT', text: 'Error: wait took longer than 10 ms' },
      gone: 0,
    })
  })
})
