import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { childCommands } from '../../test/children.ts'
import { runOwned } from './owned-process.ts'

const node = (script: string) => ({ command: process.execPath, args: ['-e', script], cwd: '/tmp', signal: new AbortController().signal })
const forever = 'setInterval(() => {}, 1000); console.log("up")'

test('output, errors and exit code of a process that ends by itself are passed on', async () => {
  const output: Buffer[] = []
  const script = 'console.log("out"); console.error("err"); process.exitCode = 3'
  const end = await runOwned({ ...node(script), onStdout: (chunk) => void output.push(chunk) })
  expect(end).toEqual({ code: 3, killedBy: null, stderr: 'err\n' })
  expect(Buffer.concat(output).toString()).toBe('out\n')
})

test('standard error is kept to its first 8 KiB', async () => {
  const { stderr } = await runOwned({ ...node('process.stderr.write("x".repeat(100000))'), onStdout() {} })
  expect(stderr.length).toBe(8_192)
})

test('cancelling ends the process, waits for it, and rejects with the reason', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const run = runOwned({ ...node(forever), signal: controller.signal, onStdout: () => controller.abort(reason) })
  await expect(run).rejects.toBe(reason)
  expect(childCommands()).toEqual([])
})

test('a process that ignores TERM is killed after the grace', async () => {
  const controller = new AbortController()
  const stubborn = `process.on('SIGTERM', () => {}); ${forever}`
  const run = runOwned({ ...node(stubborn), signal: controller.signal, killGraceMs: 50, onStdout: () => controller.abort() })
  await expect(run).rejects.toMatchObject({ name: 'AbortError' })
  expect(childCommands()).toEqual([])
})

test('a reader that throws ends the process, and its error comes out', async () => {
  const fault = new Error('fault of the reader')
  const run = runOwned({
    ...node(forever),
    onStdout() {
      throw fault
    },
  })
  await expect(run).rejects.toBe(fault)
  expect(childCommands()).toEqual([])
})

test('a signal that has fired already starts nothing', async () => {
  await expect(runOwned({ ...node(forever), signal: AbortSignal.abort(new Error('gone')), onStdout() {} })).rejects.toThrow('gone')
  expect(childCommands()).toEqual([])
})

test('a command that does not exist rejects with the error of the system', async () => {
  await expect(runOwned({ ...node(''), command: '/no/such/command', onStdout() {} })).rejects.toMatchObject({ code: 'ENOENT' })
})

test('no listener stays on the signal', async () => {
  const { signal } = new AbortController()
  await runOwned({ ...node(''), signal, onStdout() {} })
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
