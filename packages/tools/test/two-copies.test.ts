import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type * as executorDoor from '../src/executor/door.ts'
import type * as rootDoor from '../src/index.ts'
import type { ToolExecutor } from '../src/index.ts'
import type * as timeoutDoor from '../src/policies/timeout.ts'
import { codeOf, live, rawTool, textOf } from './fixtures.ts'

type Copy = typeof rootDoor & typeof executorDoor & typeof timeoutDoor

const built = fileURLToPath(new URL('..', import.meta.url))
let folder: string
let a: Copy
let b: Copy

/** Install the built package in an application of its own, and import its doors from there. */
async function install(application: string): Promise<Copy> {
  const target = join(folder, application, 'node_modules/@dsh/tools')
  mkdirSync(dirname(target), { recursive: true })
  cpSync(join(built, 'dist'), join(target, 'dist'), { recursive: true })
  cpSync(join(built, 'package.json'), join(target, 'package.json'))
  const { resolve } = createRequire(join(folder, application, 'main.js'))
  const doors = ['@dsh/tools', '@dsh/tools/executor', '@dsh/tools/policies/timeout'].map((door) => pathToFileURL(resolve(door)).href)
  return Object.assign({}, ...(await Promise.all(doors.map((url) => import(url)))))
}

beforeAll(async () => {
  if (!existsSync(join(built, 'dist/index.js')))
    throw new Error('@dsh/tools is not built. Run `npm run build` first; `npm test` does so itself.')
  folder = mkdtempSync(join(tmpdir(), 'dsh-two-copies-'))
  a = await install('a')
  b = await install('b')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('two installed copies of the built package', () => {
  test('are two', () => {
    expect(a.createRuntime).not.toBe(b.createRuntime)
    expect(a.ToolArgsError).not.toBe(b.ToolArgsError)
  })

  test('a tool defined with one runs in a runtime of the other, its arguments validated', async () => {
    const runtime = b.createRuntime()
    runtime.tools.register(
      a.defineTool({
        name: 'double',
        description: 'Doubles a number.',
        parameters: { n: { type: 'number', required: true } },
        output: { schema: { type: 'number' } },
        execute: async ({ n }) => n * 2,
      }),
    )
    expect(textOf(await runtime.call('double', { n: 21 }))).toBe('42')
    expect(codeOf(await runtime.call('double', { n: 'many' }))).toBe('INVALID_ARGS')
  })

  test('errors of one that a body throws keep their codes in a runtime of the other', async () => {
    const runtime = b.createRuntime()
    const throwing: Record<string, () => Error> = {
      INVALID_ARGS: () => new a.ToolArgsError([]),
      INVALID_TOOL_OUTPUT: () => new a.ToolOutputError([]),
      FILE_NOT_FOUND: () => new a.ToolError('There is no such file.', { code: 'FILE_NOT_FOUND' }),
    }
    for (const [code, make] of Object.entries(throwing)) {
      runtime.tools.register(rawTool(code, () => Promise.reject(make())))
      expect(codeOf(await runtime.call(code))).toBe(code)
    }
  })

  test('a policy of one puts a deadline on calls in a runtime of the other', async () => {
    const runtime = b.createRuntime()
    await runtime.plugin(a.timeoutPolicy, { defaultMs: 1 })
    runtime.tools.register(
      rawTool(
        'slow',
        (_args, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ),
    )
    expect(codeOf(await runtime.call('slow'))).toBe('TOOL_TIMEOUT')
  })

  test('an executor built on one runs batches of the other, and its broken batch is told as one', async () => {
    const runtime = b.createRuntime()
    runtime.tools.register(rawTool('echo', async (args) => args))
    const pipeline = new a.ToolExecutionPipeline(runtime)
    const oneByOne: ToolExecutor = {
      describe: () => ({ schemas: [] }),
      async execute({ calls, signal }) {
        const results = []
        for (const [index, { name, arguments: text }] of calls.entries()) {
          const callId = a.toToolCallId(`call-${index}`)
          const { arguments: args, refusal } = a.parseCall({ name, arguments: text })
          results.push({ callId, result: await pipeline.execute({ callId, name, arguments: args, signal }, refusal ? { refusal } : {}) })
        }
        if (calls.length > 2)
          throw new a.ToolBatchExecutionError({ results, missing: [], additionalContexts: [], cause: new Error('full') })
        return { results, additionalContexts: [], concluded: false }
      },
    }
    runtime.tools.setExecutor(oneByOne)
    const raw = (text: string) => ({ type: 'tool-call', name: 'echo', arguments: text }) as const
    const { results } = await runtime.tools.execute({ calls: [raw('{"x":1}'), raw('{x}')], signal: live })
    expect(results.map(({ result }) => codeOf(result) ?? textOf(result))).toEqual(['{"x":1}', 'INVALID_ARGS'])
    const broken = await runtime.tools.execute({ calls: [raw(''), raw(''), raw('')], signal: live }).catch((error) => error)
    expect(broken).toBeInstanceOf(a.ToolBatchExecutionError)
    expect(b.closeBatch(broken).results.map(({ result }) => textOf(result))).toEqual(['{}', '{}', '{}'])
  })
})
