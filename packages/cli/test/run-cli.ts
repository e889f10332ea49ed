import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { type CliIo, runCli } from '../src/index.ts'

/** A folder with these files, gone when the test ends. */
export function folder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'dsh-cli-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** Run as a user who may not read everything: root steps down for the while. */
export async function asNobody(root: string, run: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return run()
  chmodSync(root, 0o755)
  process.seteuid?.(65_534)
  try {
    await run()
  } finally {
    process.seteuid?.(0)
  }
}

export interface CliRun {
  readonly code: number
  readonly out: string
  readonly err: string
  /** Standard output as JSON Lines. */
  readonly json: () => readonly Record<string, unknown>[]
}

export interface RunOptions {
  readonly stdin?: string | Buffer
  readonly columns?: number
  readonly tty?: boolean
  readonly env?: Record<string, string>
  /** Called with what interrupts the run. */
  readonly onStart?: (interrupt: () => void) => void
  readonly exits?: number[]
  /** A terminal on which keys are pressed when this is read, one answer after another, and from the first again; undefined ends the input. */
  readonly answer?:
    | { readonly when: RegExp; readonly say: string | undefined }
    | readonly { readonly when: RegExp; readonly say: string | undefined }[]
}

/** Run the command line in this process, on streams of the test's. */
export async function cli(cwd: string, argv: readonly string[], options: RunOptions = {}): Promise<CliRun> {
  const out = sink(options)
  const typed = options.answer ? new PassThrough() : Readable.from(options.stdin === undefined ? [] : [options.stdin])
  const answers = [options.answer ?? []].flat()
  const err = sink(options, (text) => {
    const [answer] = answers
    if (!answer?.when.test(text)) return
    answers.push(...answers.splice(0, 1))
    const { say } = answer
    // A person answers when the question stands there.
    setImmediate(() => (say === undefined ? (typed as PassThrough).end() : (typed as PassThrough).write(say)))
  })
  const listeners = new Set<() => void>()
  const io: CliIo = {
    stdin: Object.assign(typed, { isTTY: options.tty === true, setRawMode: () => undefined }),
    stdout: out.stream,
    stderr: err.stream,
    env: options.env ?? {},
    cwd,
    onInterrupt(listener) {
      listeners.add(listener)
      options.onStart?.(() => {
        for (const each of listeners) each()
      })
      return () => listeners.delete(listener)
    },
    interrupt() {
      for (const each of listeners) each()
    },
    onReaderGone: () => () => undefined,
    exit: (code) => void options.exits?.push(code),
  }
  const code = await runCli(io, argv)
  const text = out.text()
  return {
    code,
    out: text,
    err: err.text(),
    json: () =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  }
}

function sink(options: RunOptions, heard: (text: string) => void = () => undefined) {
  const chunks: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk))
      heard(String(chunk))
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY: options.tty === true, columns: options.columns ?? 80 }), text: () => chunks.join('') }
}

/** Keys, as a terminal gives them. */
export const KEYS = { up: '\u001b[A', down: '\u001b[B', enter: '\r', escape: '\u001b', ctrlC: '\u0003', ctrlD: '\u0004' } as const

/** Plugin files to write into a workspace: tools that wait for the test or misbehave, policies, and executors. */
export const PLUGINS = {
  'ask.mjs': `export default { name: 'ask-all', inject: ['tools'], apply(host) {
    host.on('tools/pre-execute', async () => ({ kind: 'ask', reason: 'house rule' }))
  } }`,
  'hostile.mjs': plugin(
    `tool('hostile', { render: () => [{ type: 'text', text: '\\u001b]0;pwned\\u0007\\u001b[2J\\u009b2Jhi\\u202e there' }] })`,
  ),
  'slow.mjs': plugin(`tool('slow', {
    execute: (args, exec) => new Promise((resolve) => {
      exec.signal.addEventListener('abort', () => { process.stderr.write('STOPPED\\n'); resolve('stopped') })
      process.emit('dsh-test-started')
      process.stderr.write('STARTED\\n')
    }) })`),
  'leaving.mjs': plugin(`let start
    const started = new Promise((resolve) => { start = resolve })
    tool('first', { isConcurrencySafe: () => true, execute: () => started.then(() => 1) })
    tool('second', { isConcurrencySafe: () => true, execute: (args, exec) => new Promise((resolve) => {
      exec.signal.addEventListener('abort', () => { process.stderr.write('STOPPED\\n'); resolve(1) })
      process.stderr.write('STARTED\\n')
      start()
    }) })`),
  'stuck.mjs': plugin(`tool('stuck', { execute: () => new Promise(() => { process.stderr.write('STARTED\\n') }) })`),
  'nested.mjs': plugin(`tool('outer', { execute: async (args, exec) => {
    const call = { type: 'tool-call', name: 'glob', arguments: '{"pattern":"*.txt"}' }
    const { results } = await host.tools.execute({ calls: [call, call], signal: exec.signal, agent: exec.agent })
    return results.length
  } })`),
  'counting.mjs': plugin(`let running = 0, most = 0
    tool('counted', { isConcurrencySafe: () => true, execute: async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      return most
    } })`),
  'bad-cards.mjs': plugin(`tool('throwing', { presentCall() { throw new Error('no') }, presentResult() { throw new Error('no') } })
    tool('nonsense', { presentCall: () => ({ title: 7 }), presentResult: () => ({ card: 'search', shape: 'matches' }) })`),
  'long.mjs': plugin(`tool('long', { render: () => [{ type: 'text', text: '长'.repeat(5_000_000) }] })`),
  'own-executor.mjs': plugin(`host.tools.setExecutor({ describe: () => ({ schemas: [] }), execute: async ({ calls }) => ({
    results: calls.map((call) => ({ callId: call.callId, result: { isError: false, value: call.name, content: [] } })),
    additionalContexts: [], concluded: false }) })`),
  'broken-executor.mjs': plugin(
    `host.tools.setExecutor({ describe: () => ({ schemas: [] }), execute: async () => { throw new Error('no line') } })`,
  ),
}

function plugin(body: string): string {
  return `export default { name: 'test-plugin', inject: ['tools'], apply(host) {
    const tool = (name, { render = () => [{ type: 'text', text: 'done' }], ...more }) => host.tools.register({
      name, description: 'x', parameters: { type: 'object' }, output: { schema: {}, render }, execute: async () => 1, ...more })
    ${body}
  } }`
}
