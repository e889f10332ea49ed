import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'

const repository = join(dirname(fileURLToPath(import.meta.url)), '..')
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A checkout of nothing but these files, below `packages/`. */
function checkout(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'dsh-check-'))
  folders.push(root)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(join('packages', path), text)
  write('tsconfig.base.json', '{ "compilerOptions": { "module": "NodeNext", "allowImportingTsExtensions": true, "noEmit": true } }')
  return root
}

const linesOf = ({ stdout }: SpawnSyncReturns<string>) => stdout.split('\n').map((line) => line.trim())
const times = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, index) => line(index)).join('\n')
const lines = (count: number) => times(count, (index) => `export const a${index} = ${index}`)
const functionOf = (count: number) => `export function long() {\n${times(count - 2, () => '  void 0')}\n}\n`
const imports = (count: number) => times(count, (index) => `import './a${index}.ts'`)
const classOf = (count: number) => `export class Big {\n${times(count, (index) => `  a${index} = ${index}`)}\n}\n`
const doorOf = (count: number) => `export { ${times(count - 2, (index) => `a${index},`)} } from './a.ts'\nexport const x = 1, y = 2\n`

describe('the budgets', () => {
  const measure = (root: string) => spawnSync(process.execPath, [join(repository, 'scripts/budgets.mjs'), root], { encoding: 'utf8' })

  test('each one over its limit fails, and names the place, the number and the limit', () => {
    const result = measure(
      checkout({
        'a/src/index.ts': doorOf(81),
        'a/src/long.ts': lines(501),
        'a/src/function.ts': functionOf(61),
        'a/src/arrow.ts': `export const outer = () => [\n${times(30, () => '  () => [\n  ],')}\n]\n`,
        'a/src/method.ts': `class A {\n  m() {\n${times(59, () => '    void 0')}\n  }\n}\n`,
        'a/src/imports.ts': imports(13),
        'a/src/class.ts': classOf(26),
        'a/src/x/y/z/deep.ts': '',
        'b/src/index.ts': `export * from './a.ts'\n`,
      }),
    )
    expect(result.status).toBe(1)
    const over = linesOf(result).filter((line) => line.startsWith('over budget: '))
    const expected = [
      'packages/a/src/index.ts exports 81 symbols; the limit is 80.',
      'packages/a/src/long.ts has 501 lines; the limit is 500.',
      'packages/a/src/function.ts:1 long has 61 lines; the limit is 60.',
      'packages/a/src/arrow.ts:1 a function has 62 lines; the limit is 60.',
      'packages/a/src/method.ts:2 m has 61 lines; the limit is 60.',
      'packages/a/src/imports.ts has 13 imports; the limit is 12.',
      'packages/a/src/class.ts:1 Big has 26 members; the limit is 25.',
      'packages/a/src/x/y/z/deep.ts lies 3 folders below src; the limit is 2.',
      'packages/b/src/index.ts says `export *`',
      '1 of 9 source files have more than 350 lines; 5 % may.',
    ]
    for (const what of expected) expect(over).toContainEqual(expect.stringContaining(what))
    expect(over).toHaveLength(expected.length)
  })

  test('what is at its limit passes, and is told to be beyond its target', () => {
    const result = measure(
      checkout({
        ...Object.fromEntries(Array.from({ length: 19 }, (_, index) => [`a/src/small${index}.ts`, ''])),
        'a/src/index.ts': doorOf(80),
        'a/src/long.ts': `${lines(500)}\n`,
        'a/src/function.ts': functionOf(60),
        'a/src/imports.ts': imports(12),
        'a/src/class.ts': classOf(25),
        'a/src/x/y/deep.ts': '',
      }),
    )
    expect(result.status).toBe(0)
    expect(linesOf(result).filter((line) => line.startsWith('look again: '))).toHaveLength(6)
    expect(linesOf(result)).toContainEqual(expect.stringMatching(/^25 source files, median 1 lines, .* 6 to look at again$/))
  })

  test('generated files count for nothing; doors may import much; tests may be long, and are counted as tests', () => {
    const result = measure(
      checkout({
        'a/src/table.gen.ts': lines(900),
        'a/src/room/door.ts': imports(20),
        'a/src/room/thing.test.ts': imports(40) + functionOf(80),
        'a/test/thing.ts': functionOf(80),
      }),
    )
    expect(result.status).toBe(0)
    expect(result.stdout).toMatch(/^1 source files, median 20 lines, 9\.95 test lines a source line, 0 to look at again\n$/)
  })
})

describe('who imports whom', () => {
  function cruise(root: string): { status: number | null; violations: string[] } {
    const config = join(repository, '.dependency-cruiser.cjs')
    const args = [join(repository, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'), '--config', config, 'packages']
    const result = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    })
    const violations = linesOf(result).flatMap((line) => /^error (.*)$/.exec(line)?.[1]?.replaceAll('packages/', '') ?? [])
    return { status: result.status, violations }
  }

  test('every import against the order is refused, type-only ones included', () => {
    const { status, violations } = cruise(
      checkout({
        'tools/src/index.ts': `import './policies/p.ts'\nimport './testing/t.ts'`,
        'tools/src/contract/a.ts': `import type { B } from '../json/b.ts'\nexport type A = B`,
        'tools/src/json/b.ts': `import type { A } from '../contract/a.ts'\nexport type B = A`,
        'tools/src/json/c.ts': `import '../outcome/d.ts'`,
        'tools/src/outcome/d.ts': `import 'node:fs'`,
        'tools/src/scheduler/s.ts': `import { type X } from '../executor/x.ts'\nexport type S = X`,
        'tools/src/executor/x.ts': 'export type X = 1',
        'tools/src/runtime/r.ts': `import '../policies/p.ts'\nimport '../testing/t.ts'\nimport '../attic/o.ts'`,
        'tools/src/attic/o.ts': '',
        'tools/src/policies/p.ts': `import '../executor/x.ts'`,
        'tools/src/testing/t.ts': `import '../policies/p.ts'`,
        'tools/src/schema/t.ts': `import '../../../toolkit/src/index.ts'`,
        'toolkit/src/index.ts': `import '../../tools/src/json/c.ts'`,
        'toolkit/src/up.ts': `import '../../cli/src/index.ts'`,
        'cli/src/index.ts': '',
        'cli/src/a.ts': `import './a.test.ts'`,
        'cli/src/a.test.ts': '',
        'cli/src/b.ts': `import '../dist/b.js'`,
        'cli/dist/b.js': '',
        'cli/src/c.ts': `import './nowhere.ts'`,
      }),
    )
    expect(status).not.toBe(0)
    expect([...violations].sort()).toEqual(
      [
        'root-door-without-extras: tools/src/index.ts → tools/src/policies/p.ts',
        'root-door-without-extras: tools/src/index.ts → tools/src/testing/t.ts',
        'room-order-contract: tools/src/contract/a.ts → tools/src/json/b.ts',
        'no-cycles: tools/src/contract/a.ts →',
        'room-order-json: tools/src/json/c.ts → tools/src/outcome/d.ts',
        'core-depends-on-nothing: tools/src/outcome/d.ts → fs',
        'room-order-scheduler: tools/src/scheduler/s.ts → tools/src/executor/x.ts',
        'room-order-runtime: tools/src/runtime/r.ts → tools/src/policies/p.ts',
        'room-order-runtime: tools/src/runtime/r.ts → tools/src/testing/t.ts',
        'room-order-runtime: tools/src/runtime/r.ts → tools/src/attic/o.ts',
        'a-room-of-its-own: tools/src/runtime/r.ts → tools/src/attic/o.ts',
        'policies-on-public-hooks: tools/src/policies/p.ts → tools/src/executor/x.ts',
        'testing-without-policies: tools/src/testing/t.ts → tools/src/policies/p.ts',
        'core-depends-on-nothing: tools/src/schema/t.ts → toolkit/src/index.ts',
        'packages-one-way: tools/src/schema/t.ts → toolkit/src/index.ts',
        'through-the-door: tools/src/schema/t.ts → toolkit/src/index.ts',
        'through-the-door: toolkit/src/index.ts → tools/src/json/c.ts',
        'packages-one-way: toolkit/src/up.ts → cli/src/index.ts',
        'through-the-door: toolkit/src/up.ts → cli/src/index.ts',
        'tests-do-not-ship: cli/src/a.ts → cli/src/a.test.ts',
        'sources-not-dist: cli/src/b.ts → cli/dist/b.js',
        'resolvable: cli/src/c.ts → ./nowhere.ts',
      ].sort(),
    )
  })

  test('imports along the order pass, and tests may import what they like', () => {
    const root = checkout({
      'tools/package.json': JSON.stringify({
        name: '@dsh/tools',
        exports: { '.': { types: './dist/index.d.ts' }, './policies/p': { types: './dist/policies/p.d.ts' } },
      }),
      'tools/dist/index.d.ts': 'export {}',
      'tools/dist/policies/p.d.ts': 'export {}',
      'tools/src/index.ts': `import './runtime/r.ts'`,
      'tools/src/contract/a.ts': '',
      'tools/src/json/b.ts': `import '../contract/a.ts'`,
      'tools/src/outcome/d.ts': `import '../json/b.ts'`,
      'tools/src/outcome/d.test.ts': `import 'node:fs'\nimport './d.ts'\nimport '../runtime/r.ts'\nimport '../testing/t.ts'`,
      'tools/src/runtime/r.ts': `import '../outcome/d.ts'\nimport '../contract/a.ts'`,
      'tools/src/policies/p.ts': `import '../contract/a.ts'\nimport '../json/b.ts'\nimport '../outcome/d.ts'`,
      'tools/src/testing/t.ts': `import '../runtime/r.ts'`,
      'tools/test/all.test.ts': `import 'node:path'\nimport '../src/policies/p.ts'`,
      'toolkit/src/index.ts': `import 'node:fs'\nimport '@dsh/tools'`,
      'cli/src/index.ts': `import '@dsh/tools/policies/p'`,
    })
    mkdirSync(join(root, 'node_modules/@dsh'), { recursive: true })
    symlinkSync('../../packages/tools', join(root, 'node_modules/@dsh/tools'))
    expect(cruise(root)).toEqual({ status: 0, violations: [] })
  })
})
