import { chmodSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, type Scope } from '@dsh/tools'
import type { ResultStore, TextKeeper } from '@dsh/tools/ports'
import { createFakeClock } from '@dsh/tools/testing'
import { expect, onTestFinished, test } from 'vitest'
import { asNobody } from '../../test/as-nobody.ts'
import { commandsWith, markedSleep } from '../../test/processes.ts'
import { tempFolder } from '../../test/temp-folder.ts'
import { type ShellToolsConfig, shellTools } from '../index.ts'
import type { BashValue } from './bash-value.ts'

type Options = Omit<ShellToolsConfig, 'root'> & { readonly root?: string; readonly runtime?: Scope }

async function mount({ runtime = createRuntime(), root, ...config }: Options = {}) {
  await runtime.plugin(shellTools, { root: root ?? (await tempFolder()), ...config })
  return runtime
}

async function run(args: object, options: Options = {}) {
  const runtime = await mount(options)
  const result = await runtime.call('bash', args)
  const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  const view = runtime.tools.get('bash')?.presentResult?.(args, result)
  return { value: result.value as unknown as BashValue, text, view, error: result.error }
}

/** A store that keeps texts in memory. */
function memoryStore(append?: () => Promise<void>) {
  const kept: string[] = []
  let open = 0
  const keepText = async (): Promise<TextKeeper> => {
    let text = ''
    open++
    return {
      async append(bytes) {
        await append?.()
        text += Buffer.from(bytes).toString()
      },
      async end() {
        open--
        kept.push(text)
        return `kept:${kept.length}`
      },
      async discard() {
        open--
      },
    }
  }
  return { store: { keepText } as unknown as ResultStore, kept, open: () => open }
}

test('a command that fails is a value with its exit code, which the model reads', async () => {
  const { value, text, view } = await run({ command: 'echo out; echo err >&2; exit 3' })
  expect(value).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err\n', stdoutBytes: 4, stderrBytes: 4, truncated: false })
  expect(text).toBe('out\n[stderr]\nerr\n[exit code 3]')
  expect(view).toMatchObject({ card: 'terminal', exitCode: 3, output: text })
})

test('a signal is a field of the value, and no exit code stands beside it', async () => {
  const { value, text } = await run({ command: 'kill -KILL $$' })
  expect(value.signal).toBe('SIGKILL')
  expect(value).not.toHaveProperty('exitCode')
  expect(text).toBe('[no output]\n[ended by SIGKILL]')
})

test('the model reads plain text, the program what came', async () => {
  const { value, text } = await run({ command: String.raw`printf '\033[31mred\033[0m\r\n10%%\r50%%\r100%%\n\007'` })
  expect(value.stdout).toContain('\u001b[31mred')
  expect(text).toBe('red\n100%')
})

test('a command runs in a folder of the workspace, and nowhere else', async () => {
  const root = await tempFolder({ 'sub/a.txt': '' })
  expect((await run({ command: 'pwd; ls', cwd: 'sub' }, { root })).value.stdout).toBe(`${root}/sub\na.txt\n`)
  expect((await run({ command: 'pwd', cwd: '..' }, { root })).error?.info?.code).toBe('OUTSIDE_WORKSPACE')
  expect((await run({ command: 'pwd', cwd: 'sub/a.txt' }, { root })).error?.info?.code).toBe('NOT_A_FOLDER')
})

test('variables of the host do not reach a command, but for those on the list', async () => {
  process.env['DSH_TEST_SECRET'] = 'hunter2'
  process.env['LC_TEST'] = 'passed'
  onTestFinished(() => {
    delete process.env['DSH_TEST_SECRET']
    delete process.env['LC_TEST']
  })
  const { value } = await run({ command: 'env; cat /proc/self/environ', env: { MINE: 'given' } }, { env: { set: { HOUSE: 'set' } } })
  expect(value.stdout).not.toContain('hunter2')
  for (const line of ['LC_TEST=passed', 'TERM=dumb', 'MINE=given', 'HOUSE=set']) expect(value.stdout).toContain(line)
  const passed = await run({ command: 'echo $DSH_TEST_SECRET $LC_TEST' }, { env: { pass: ['PATH', 'DSH_TEST_*'] } })
  expect(passed.value.stdout).toBe('hunter2\n')
})

test.each([
  ['LD_PRELOAD', 'x'],
  ['NODE_OPTIONS', 'x'],
  ['PATH', 'x'],
  ['a b', 'x'],
  ['NUMBER', 1],
  ['NUL', '\0'],
])('the variable %j with the value %j is refused, and nothing runs', async (name, value) => {
  const { error } = await run({ command: 'touch ran', env: { [name]: value } })
  expect(error).toMatchObject({ info: { code: 'INVALID_ENV' }, message: expect.stringContaining(JSON.stringify(name)) })
})

test('a deadline out of bounds is refused', async () => {
  for (const timeoutMs of [0, 600_001]) {
    expect((await run({ command: 'true', timeoutMs })).error?.info?.code).toBe('INVALID_TIMEOUT')
  }
})

test.each([
  ['', 'INVALID_COMMAND', 'is empty'],
  [' \n', 'INVALID_COMMAND', 'is empty'],
  ['touch ran; echo \0', 'INVALID_COMMAND', 'NUL'],
  [`touch ran; ${'x'.repeat(140_000)}`, 'COMMAND_TOO_LONG', 'to a file'],
])('a command that cannot be one is refused with the way out (%#)', async (command, code, words) => {
  const root = await tempFolder()
  const { error } = await run({ command }, { root })
  expect(error).toMatchObject({ info: { code }, message: expect.stringContaining(words) })
  expect(readdirSync(root)).toEqual([])
})

test('more variables than the system takes are a failure of the call alone', async () => {
  const env = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`V${n}`, 'x'.repeat(30)]))
  expect((await run({ command: 'true', env })).error?.info?.code).toBe('COMMAND_TOO_LONG')
})

test('a folder that may not be entered is a failure that names it', async () => {
  const root = await tempFolder({ 'closed/a.txt': '' })
  chmodSync(join(root, 'closed'), 0)
  await asNobody(root, async () => {
    const { error } = await run({ command: 'true', cwd: 'closed' }, { root })
    expect(error).toMatchObject({ info: { code: 'PERMISSION_DENIED' }, message: expect.stringContaining('closed') })
  })
  chmodSync(join(root, 'closed'), 0o755)
})

test('a link out of the workspace is no folder to run in, and neither is one that has gone', async () => {
  const root = await tempFolder()
  symlinkSync('/', join(root, 'out'))
  expect((await run({ command: 'true', cwd: 'out/etc' }, { root })).error?.info?.code).toBe('OUTSIDE_WORKSPACE')
  expect((await run({ command: 'true', cwd: 'gone' }, { root })).error?.info?.code).toBe('FILE_NOT_FOUND')
})

test('a command may remove the workspace it runs in: it ends as usual, and the next one cannot start', async () => {
  const root = await tempFolder()
  const runtime = await mount({ root })
  expect(await runtime.call('bash', { command: `rm -r ${root}; echo removed` })).toMatchObject({
    value: { stdout: 'removed\n', exitCode: 0 },
  })
  expect((await runtime.call('bash', { command: 'true' })).error?.info?.code).toBe('WORKSPACE_MISSING')
})

test('without a PATH programs are found in the folders of the system, and not in the workspace', async () => {
  const root = await tempFolder({ ls: '#!/bin/sh\necho hijacked' })
  chmodSync(join(root, 'ls'), 0o755)
  const { value } = await run({ command: 'echo $PATH; ls' }, { root, env: { pass: [] } })
  expect(value.stdout).toBe('/usr/local/bin:/usr/bin:/bin\nls\n')
})

test('a command cannot open its output by name, and the model reads what to do instead', async () => {
  const { value, text } = await run({ command: 'echo lost > /dev/stderr; echo shown >&2' })
  expect(value.stderr).toContain('shown')
  if (value.stderr.includes('No such device')) expect(text).toContain('write to them with >&1 and >&2')
})

test('a command that reads its input, or asks a terminal, gets the end of it at once', async () => {
  const { value } = await run({ command: 'read line; echo "read $?"; cat; cat < /dev/tty || echo none' })
  expect(value).toMatchObject({ exitCode: 0, stdout: 'read 1\nnone\n' })
})

test('a command that closes its output and goes on is waited for', async () => {
  const root = await tempFolder()
  const { value } = await run({ command: 'exec >&- 2>&-; sleep 0.4; touch late' }, { root })
  expect(value).toMatchObject({ exitCode: 0, stdout: '' })
  expect(readdirSync(root)).toEqual(['late'])
})

test('an exit code above 128 is an exit code, and no signal is made of it', async () => {
  const { value, text } = await run({ command: 'exit 137' })
  expect(value.exitCode).toBe(137)
  expect(value).not.toHaveProperty('signal')
  expect(text).toContain('[exit code 137]')
})

test('what would drive a terminal reaches neither the model nor the card', async () => {
  const command = String.raw`printf 'a\033]0;title\007b\033[2Jc\033]52;c;aGk=\007d\033Pq\033\\e\302\2332Jf\010\033cg\r\r\n'`
  const { text, view } = await run({ command })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  for (const shown of [text, (view as { output: string }).output]) expect(shown).toMatch(/^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f]*$/)
  expect(text).toMatch(/^abcd.*e.*f.*g$/)
})

test('of a line written anew the last text is shown, however often the cursor goes back', async () => {
  expect((await run({ command: String.raw`printf '10%%\r\r20%%\r\r\ndone\r\n'` })).text).toBe('20%\ndone')
})

test('bytes that are no UTF-8 are replaced, and a character on the edge of what is kept is whole or left out', async () => {
  expect((await run({ command: String.raw`printf '\377a\342\202'` })).value).toMatchObject({ stdout: '\ufffda\ufffd', stdoutBytes: 4 })
  const { value } = await run({ command: "head -c 31999 /dev/zero | tr '\\0' x; printf 😀; head -c 40000 /dev/zero | tr '\\0' y" })
  expect(value).toMatchObject({ stdoutBytes: 72_003, stdoutOmitted: { at: 31_999, bytes: 8_004 } })
  expect(value.stdout).not.toContain('\ufffd')
})

test('long output is kept as head and tail, and never holds a part of a character', async () => {
  const { value, text } = await run({ command: "printf '€%.0s' {1..50}" }, { limits: { streamBytes: 20 } })
  expect(value).toMatchObject({ stdout: '€€€€€€', stdoutBytes: 150, stdoutOmitted: { at: 3, bytes: 132 }, truncated: true })
  expect(text).toBe('€€€\n[132 bytes left out]\n€€€\n[the whole output is not kept]')
})

test('the whole of long output is kept in the store, which holds the command up', async () => {
  const { store, kept, open } = memoryStore(() => new Promise(setImmediate))
  const runtime = createRuntime()
  runtime.provide('results', store)
  const { value, text } = await run({ command: 'seq 100000; echo end >&2' }, { runtime })
  expect(value.output).toBe('kept:1')
  expect(text).toContain('kept as kept:1')
  expect(kept[0]).toHaveLength(588_895 + 4)
  expect(open()).toBe(0)
})

test('a store that fails does not fail the call, which says that nothing is kept', async () => {
  const { store, open } = memoryStore(() => Promise.reject(new Error('disk full')))
  const runtime = createRuntime()
  runtime.provide('results', store)
  const { value, text } = await run({ command: 'seq 100000' }, { runtime })
  expect(value).toMatchObject({ exitCode: 0, outputProblem: 'disk full', stdoutBytes: 588_895 })
  expect(text).toContain('[the whole output is not kept: disk full]')
  expect(open()).toBe(0)
})

test('600 MB of output take little memory', { timeout: 60_000 }, async () => {
  const before = process.memoryUsage().rss
  const { value } = await run({ command: "head -c 600000000 /dev/zero | tr '\\0' x" })
  expect(value).toMatchObject({ stdoutBytes: 600_000_000, exitCode: 0 })
  expect(value.stdout).toHaveLength(64_000)
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
})

test('at its deadline a command is ended with a deaf grandchild, and the failure says what it last said', async () => {
  const sleep = markedSleep()
  const command = `(trap '' TERM; echo deaf; sleep ${sleep}; sleep ${sleep}) & echo parent; exit`
  const { error } = await run({ command, timeoutMs: 60 }, { limits: { killGraceMs: 200 } })
  expect(error?.info).toEqual({ name: 'ToolTimeoutError', code: 'TOOL_TIMEOUT' })
  expect(error?.message).toContain('longer than its 60 ms. It was ended with all its processes.')
  expect(error?.message).toContain('parent')
  expect(commandsWith(sleep)).toEqual([])
})

test('a deaf grandchild whose parent has ended is killed in bounded time, and the deadline that passed meanwhile is reported', async () => {
  const sleep = markedSleep()
  const command = `(trap '' TERM; while :; do sleep ${sleep}; done) & exit`
  const { error } = await run({ command, timeoutMs: 300 }, { limits: { killGraceMs: 400 } })
  expect(error?.info?.code).toBe('TOOL_TIMEOUT')
  expect(commandsWith(sleep)).toEqual([])
})

test('a spinning child is gone when the deadline has been reported', async () => {
  const sleep = markedSleep()
  const { error } = await run({ command: `bash -c 'while :; do :; done # ${sleep}'`, timeoutMs: 200 })
  expect(error?.info?.code).toBe('TOOL_TIMEOUT')
  expect(commandsWith(sleep)).toEqual([])
})

/** A runtime whose clock a test moves, and the progress of its call. */
async function watched() {
  const clock = createFakeClock()
  const runtime = await mount({ runtime: createRuntime({ clock }) })
  const lines: (string | undefined)[] = []
  const heard = (line: string) =>
    new Promise<void>((resolve) => {
      runtime.on('tools/progress', (_exec, { text }) => {
        lines.push(text)
        if (text === line) resolve()
      })
    })
  /** Move time on, bit by bit, while the world works. */
  const pass = async (until: Promise<unknown>) => {
    let isOver = false
    const over = () => {
      isOver = true
    }
    void until.then(over, over)
    for (; !isOver; await new Promise(setImmediate)) clock.advance(1)
  }
  return { clock, runtime, lines, heard, pass }
}

test('the last line of the output is told while the command runs, and the default deadline is that of the clock', async () => {
  const { clock, runtime, lines, heard, pass } = await watched()
  const sleep = markedSleep()
  const told = heard('two')
  const call = runtime.call('bash', { command: `printf 'one\\n\\033[1mtwo\\033[0m\\n'; sleep ${sleep}` })
  await pass(told)
  expect(lines).toEqual(['two'])
  clock.advance(120_000)
  expect((await call).error?.info?.code).toBe('TOOL_TIMEOUT')
  expect(commandsWith(sleep)).toEqual([])
  expect(clock.pending).toBe(0)
})

test('a cancelled call has no child left when it settles', async () => {
  const { clock, runtime, heard, pass } = await watched()
  const sleep = markedSleep()
  const controller = new AbortController()
  const told = heard('started')
  const call = runtime.call('bash', { command: `sleep ${sleep} & echo started; sleep ${sleep}` }, { signal: controller.signal })
  await pass(told)
  controller.abort()
  expect((await call).error?.info?.code).toBe('ABORTED')
  expect(commandsWith(sleep)).toEqual([])
  expect(clock.pending).toBe(0)
})

test('a call that is cancelled within the grace of its deadline is cancelled, and its deaf child is gone', async () => {
  const { clock, runtime, heard, pass } = await watched()
  const sleep = markedSleep()
  const controller = new AbortController()
  const told = heard('told')
  const command = `trap 'echo told; while :; do sleep ${sleep}; done' TERM; echo up; sleep ${sleep} & wait`
  const up = heard('up')
  const call = runtime.call('bash', { command, timeoutMs: 600_000 }, { signal: controller.signal })
  await pass(up)
  clock.advance(600_000)
  await pass(told)
  controller.abort()
  expect((await call).error?.info?.code).toBe('ABORTED')
  expect(commandsWith(sleep)).toEqual([])
})

test('the line of progress is short, however long the line of the output', async () => {
  const { clock, runtime, lines, heard, pass } = await watched()
  const told = heard('0'.repeat(200))
  const call = runtime.call('bash', { command: `printf '%0500d' 0; sleep ${markedSleep()}`, timeoutMs: 600_000 })
  await pass(told)
  expect(lines).toEqual(['0'.repeat(200)])
  clock.advance(600_000)
  await call
})

test('children that a command leaves behind are ended, and that is said', async () => {
  const sleep = markedSleep()
  const { value, text } = await run({ command: `sleep ${sleep} & echo done` })
  expect(value).toMatchObject({ exitCode: 0, endedChildren: true, mayStillRun: false })
  expect(text).toBe('done\n[processes that it left in the background were ended]')
  expect(commandsWith(sleep)).toEqual([])
})

/** A store that takes nothing, or does not end, and says when it was first asked to. */
function hangingStore(step: 'append' | 'end') {
  let tell = () => {}
  const asked = new Promise<void>((resolve) => {
    tell = resolve
  })
  const hang = () => {
    tell()
    return new Promise<never>(() => {})
  }
  const keeper: TextKeeper = { append: async () => {}, end: async () => 'kept:1', discard: async () => {}, [step]: hang }
  return { store: { keepText: async () => keeper } as unknown as ResultStore, asked }
}

/** A call whose store hangs, which has just begun to; time goes ten times as fast as it does. */
async function hung(step: 'append' | 'end', args: object) {
  const { clock, runtime } = await watched()
  const { store, asked } = hangingStore(step)
  runtime.provide('results', store)
  const controller = new AbortController()
  const call = runtime.call('bash', args, { signal: controller.signal })
  await Promise.race([asked, call])
  const fromMs = clock.now()
  const settled = async () => {
    const beat = setInterval(() => clock.advance(100), 10)
    const { value, error } = await call
    clearInterval(beat)
    return { value: value as unknown as BashValue, error, tookMs: clock.now() - fromMs, pending: clock.pending }
  }
  return { settled, cancel: () => controller.abort() }
}

const LATE = 'the store did not take it in time'

test.each(['append', 'end'] as const)('a store that hangs in %s holds up a cancelled call for a moment only', async (step) => {
  const { settled, cancel } = await hung(step, { command: 'seq 100000' })
  cancel()
  const { error, tookMs, pending } = await settled()
  expect(error?.info?.code).toBe('ABORTED')
  expect(tookMs).toBeLessThan(30_000)
  expect(pending).toBe(0)
})

test('a store that hangs does not hold up a deadline, which says that the output is not kept', async () => {
  const { settled } = await hung('append', { command: 'seq 100000', timeoutMs: 500 })
  const { error, tookMs, pending } = await settled()
  expect(error?.info?.code).toBe('TOOL_TIMEOUT')
  expect(error?.message).toContain(`[the whole output is not kept: ${LATE}]`)
  expect(tookMs).toBeLessThan(30_000)
  expect(pending).toBe(0)
})

test.each(['append', 'end'] as const)('a command whose store hangs in %s goes on without it', async (step) => {
  const { settled } = await hung(step, { command: 'seq 100000' })
  const { value, pending } = await settled()
  expect(value).toMatchObject({ exitCode: 0, stdoutBytes: 588_895, outputProblem: LATE })
  expect(pending).toBe(0)
})

test('what a command says after its deadline does not heap up before a slow store', async () => {
  const { settled } = await hung('append', { command: "trap 'head -c 3000000 /dev/zero; exit' TERM; yes", timeoutMs: 10 })
  const { error } = await settled()
  expect(error?.message).toContain('[the whole output is not kept: the command was ended before the store had taken it all]')
})

test('a configuration is refused with all its problems', async () => {
  const config = { root: 'here', env: { pass: ['a b'], set: { A: 1 }, more: 1 }, limits: { commandMs: 0, speed: 1 } }
  const mounted = createRuntime().plugin(shellTools, config as unknown as ShellToolsConfig)
  await expect(Promise.resolve(mounted)).rejects.toThrow(
    /root must.*env\.more is.*env\.pass must.*env\.set must.*limits\.speed is.*limits\.commandMs must/s,
  )
})

test('a pending command is a terminal card with a short title', async () => {
  const tool = (await mount()).tools.get('bash')
  expect(tool?.presentCall?.({ command: 'x'.repeat(500), description: 'Try', cwd: 'src' })).toEqual({
    card: 'terminal',
    title: `${'x'.repeat(120)}…`,
    description: 'Try',
    cwd: 'src',
  })
})
