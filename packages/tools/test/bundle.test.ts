import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { describe, expect, test } from 'vitest'

const folder = fileURLToPath(new URL('..', import.meta.url))
const { exports } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as { exports: Record<string, string | { default: string }> }
/** The doors a user may import, each with the source it is built from. */
const doors = Object.entries(exports).flatMap(([name, target]) =>
  typeof target === 'string' ? [] : [[name, target.default.replace('./dist/', 'src/').replace('.js', '.ts')] as const],
)

/** What a bundler for the browser makes of an entry: its code, and whatever it had to leave outside. */
async function bundle(entry: string, options: BuildOptions = {}): Promise<{ code: string; outside: string[] }> {
  const outside: string[] = []
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: 'neutral',
    format: 'esm',
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'outside',
        setup({ onResolve }) {
          onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
            if (kind === 'entry-point') return undefined
            outside.push(path)
            return { path, external: true }
          })
        },
      },
    ],
    ...options,
  })
  return { code: outputFiles?.[0]?.text ?? '', outside }
}

describe('the bundled core', () => {
  test('is smaller than 30 kB, minified and compressed', async () => {
    const { code } = await bundle('src/index.ts')
    expect(code.length).toBeGreaterThan(1_000)
    expect(gzipSync(code).length).toBeLessThan(30_000)
  })

  test.each(doors)('%s imports no package and no Node builtin', async (_name, source) => {
    expect((await bundle(source)).outside).toEqual([])
  })

  test('runs where there is nothing but the language and the globals of the web', async () => {
    const { code } = await bundle('src/index.ts', { format: 'iife', globalName: 'dsh' })
    const web = {
      AbortController,
      AbortSignal,
      DOMException,
      clearTimeout,
      crypto,
      performance,
      queueMicrotask,
      setTimeout,
      structuredClone,
    }
    const page = createContext({ ...web })
    runInContext(code, page)
    const said = await runInContext(
      `(async () => {
        const runtime = dsh.createRuntime()
        runtime.tools.register(dsh.defineTool({
          name: 'add',
          description: 'Adds.',
          parameters: { a: { type: 'integer', required: true }, b: { type: 'integer', required: true } },
          output: { schema: { type: 'integer' } },
          execute: async ({ a, b }) => a + b,
        }))
        const calls = [{ type: 'tool-call', name: 'add', arguments: '{"a": 1, "b": 2}' }]
        const { results } = await runtime.tools.execute({ calls, signal: new AbortController().signal })
        return JSON.stringify(results.map(({ result }) => result.content))
      })()`,
      page,
    )
    expect(JSON.parse(said)).toEqual([[{ type: 'text', text: '3' }]])
  })
})
