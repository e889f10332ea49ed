import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { folder, PLUGINS } from './run-cli.ts'

// The built program, as a real process: what only a process shows.
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))

function start(root: string, argv: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...argv], { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] })
  const text = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text.out += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    text.err += chunk
  })
  return { child, text, closed: once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]> }
}

test('exit codes reach the shell', async () => {
  const root = folder({ 'a.txt': 'x' })
  for (const [argv, expected] of [
    [['call', 'read', '--arg', 'path=a.txt'], 0],
    [['call', 'read', '--arg', 'path=b.txt'], 1],
    [['batch', 'nope'], 2],
  ] as const) {
    const { child, closed } = start(root, argv)
    child.stdin.end()
    expect((await closed)[0]).toBe(expected)
  }
})

test('SIGINT once cancels, waits for the body, and exits 130', async () => {
  const root = folder(PLUGINS)
  const { child, text, closed } = start(root, ['--use', 'slow.mjs', 'batch', '-', '--json'])
  child.stdin.end('{"name":"slow"}')
  while (!text.err.includes('STARTED')) await once(child.stderr, 'data')
  child.kill('SIGINT')
  expect((await closed)[0]).toBe(130)
  expect(text.err).toMatch(/still stopping: slow/)
  expect(JSON.parse(text.out)).toMatchObject({ code: 'ABORTED' })
})

test('SIGINT twice ends at once, whatever a body does', async () => {
  const { child, text, closed } = start(folder(PLUGINS), ['--use', 'stuck.mjs', 'batch', '-'])
  child.stdin.end('{"name":"stuck"}')
  while (!text.err.includes('STARTED')) await once(child.stderr, 'data')
  child.kill('SIGINT')
  while (!text.err.includes('still stopping: stuck')) await once(child.stderr, 'data')
  child.kill('SIGINT')
  expect((await closed)[0]).toBe(130)
})

test('a reader that goes away ends it quietly, after what runs has stopped', async () => {
  const { child, text, closed } = start(folder(PLUGINS), ['--use', 'leaving.mjs', 'batch', '-', '--json'])
  child.stdout.destroy()
  child.stdin.end('{"name":"first"}\n{"name":"second"}\n{"name":"first"}\n')
  expect((await closed)[0]).toBe(0)
  expect(text.err).toBe('STARTED\nSTOPPED\n')
})

test('what a plugin leaves open does not keep the process', async () => {
  const root = folder({ 'open.mjs': `export default { name: 'open', apply() { setInterval(() => {}, 1000) } }` })
  const { child, text, closed } = start(root, ['--use', 'open.mjs', 'tools', '--json'])
  child.stdin.end()
  expect((await closed)[0]).toBe(0)
  expect(text.out).toMatch(/^\{"v":1,"name":"read"[\s\S]*\}\n$/)
})

test('a long result arrives whole', async () => {
  const { child, text, closed } = start(folder(PLUGINS), ['--use', 'long.mjs', 'call', 'long', '--json'])
  child.stdin.end()
  expect((await closed)[0]).toBe(0)
  expect(JSON.parse(text.out).content[0].text).toHaveLength(5_000_000)
})
