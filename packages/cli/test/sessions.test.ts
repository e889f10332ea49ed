import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cli, folder, KEYS, PLUGINS } from './run-cli.ts'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const CALLS = [
  '{"name":"read","arguments":{"path":"a.txt"}}',
  '{"name":"grep","arguments":{"pattern":"two"}}',
  '{"name":"read","arguments":{"path":"b.txt"}}',
].join('\n')

/** A folder with a file to read and calls that read it. */
const workspace = (files: Readonly<Record<string, string>> = {}) => folder({ 'a.txt': 'one\ntwo\n', 'calls.jsonl': CALLS, ...files })
const untimed = (text: string) => text.replaceAll(/ · \d+ ms/g, '')

/** Tools that note what they do, wait for the file `go`, and declare what repeating them would do. */
const EFFECTFUL = `import { appendFileSync, existsSync } from 'node:fs'
export default { name: 'effectful', inject: ['tools'], apply(host) {
  for (const effects of ['unknown', 'idempotent', 'none']) host.tools.register({
    name: 'do_' + effects, description: 'x', parameters: { type: 'object' }, effects,
    output: { schema: {}, render: () => [{ type: 'text', text: 'done' }] },
    async execute(args, exec) {
      appendFileSync('effects', effects + ' ' + exec.idempotencyKey + '\\n')
      process.stderr.write('STARTED\\n')
      while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5))
      return 1
    } })
} }`

/** Tools whose cards are of use to nobody, or to the live printer alone if it does not take care. */
const CARDS = `export default { name: 'cards', inject: ['tools'], apply(host) {
  const tool = (name, more) => host.tools.register({ name, description: 'x', parameters: { type: 'object' },
    output: { schema: {}, render: () => [{ type: 'text', text: 'done' }] }, execute: async () => 1, ...more })
  const generic = (title) => ({ card: 'generic', title })
  tool('throwing', { presentCall() { throw new Error('no') }, presentResult() { throw new Error('no') } })
  tool('nonsense', { presentCall: () => ({ title: 7 }), presentResult: () => ({ card: 'search', shape: 'matches' }) })
  tool('endless', { presentCall: () => generic('x'.repeat(70_000)) })
  tool('date', { presentResult: () => ({ card: 'terminal', exitCode: 3, at: new Date() }) })
  tool('valued', { presentResult: (args, result) => generic('value ' + result.value) })
  tool('titled', { presentCall: (args) => generic(JSON.stringify(args)) })
  tool('hostile', { presentCall: () => generic('\\u001b]0;pwned\\u0007\\ud800') })
  tool('fails', { execute: async () => { throw new Error('boom') } })
} }`

/** A real process that runs one call in the session `s` and is in its body. */
async function inBody(root: string, tool: string) {
  const child = spawn(process.execPath, [MAIN, '--use', 'effectful.mjs', 'batch', '-', '--session', 's'], { cwd: root })
  onTestFinished(() => void child.kill('SIGKILL'))
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk
  })
  child.stdin.end(`{"name":"${tool}"}\n{"name":"read","arguments":{"path":"a.txt"}}`)
  while (!err.includes('STARTED')) await once(child.stderr, 'data')
  return child
}

async function killed(tool: string): Promise<string> {
  const root = workspace({ 'effectful.mjs': EFFECTFUL })
  const child = await inBody(root, tool)
  child.kill('SIGKILL')
  await once(child, 'exit')
  writeFileSync(join(root, 'go'), '')
  return root
}

const effects = (root: string) => readFileSync(join(root, 'effects'), 'utf8').trimEnd().split('\n')

describe('dsh batch --session', () => {
  test('logs the batch, says where it is kept, and goes on in the next turn', async () => {
    const root = workspace()
    const first = await cli(root, ['batch', 'calls.jsonl', '--session', 's'])
    expect(first.code).toBe(1)
    expect(first.err).toBe('A new session: s\nSession s is kept in .dsh/sessions.db; dsh replay s shows it.\n')
    const second = await cli(root, ['batch', 'calls.jsonl', '--session', 's'])
    expect(second.err).toBe('Session s is kept in .dsh/sessions.db; dsh replay s shows it.\n')
    const { json } = await cli(root, ['replay', 's', '--json'])
    expect(json().flatMap(({ type, data }) => (type === 'tool/call' ? [(data as { turn: number }).turn] : []))).toEqual([1, 1, 1, 2, 2, 2])
  })

  test('without it nothing is kept', async () => {
    const root = workspace()
    await cli(root, ['batch', 'calls.jsonl'])
    await cli(root, ['sessions'])
    await cli(root, ['replay', 's'])
    await cli(root, ['sessions', 'delete', 's'])
    await cli(root, ['sessions', 'export', 's'])
    await cli(root, ['sessions', 'import', 'calls.jsonl'])
    expect(existsSync(join(root, '.dsh'))).toBe(false)
  })

  test('logs what was asked, and what was answered', async () => {
    const root = workspace(PLUGINS)
    const answer = [
      { when: /to navigate/, say: KEYS.down + KEYS.enter },
      { when: /Why\?/, say: `not this one${KEYS.enter}` },
    ]
    await cli(root, ['--use', 'ask.mjs', 'batch', 'calls.jsonl', '--session', 's'], { tty: true, answer })
    const { out } = await cli(root, ['replay', 's'])
    expect(out).toContain('? read asks to run: house rule\n  refused: not this one\n✗ read APPROVAL_REJECTED')
  })

  test('says so when the executor that a plugin selected logs nothing', async () => {
    const root = workspace(PLUGINS)
    const { err } = await cli(root, ['--use', 'own-executor.mjs', 'batch', 'calls.jsonl', '--session', 's'])
    expect(err).toContain('nothing was logged: the executor that a plugin selected keeps no log.\n')
  })

  test('a name that no session may have is refused, and nothing runs', async () => {
    const root = workspace()
    const { code, out, err } = await cli(root, ['batch', 'calls.jsonl', '--session', '../s'])
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/"\.\.\/s" cannot be the id of a session: use 1 to 100 letters/)
    expect(existsSync(join(root, '.dsh'))).toBe(false)
  })

  test('one that another process writes is not written: it says by whom, and it can be replayed meanwhile', async () => {
    const root = workspace({ 'effectful.mjs': EFFECTFUL })
    const child = await inBody(root, 'do_unknown')
    const second = await cli(root, ['batch', 'calls.jsonl', '--session', 's'])
    expect([second.code, second.out]).toEqual([1, ''])
    expect(second.err).toMatch(
      new RegExp(`The session s is written by process ${child.pid} on .*, since .* It can be read meanwhile;.* dsh replay s shows`),
    )
    const running = new RegExp(`^… do_unknown has no result in the log: it is running in process ${child.pid} on `, 'm')
    expect((await cli(root, ['replay', 's'])).out).toMatch(running)
    expect((await cli(root, ['sessions'])).out).toMatch(new RegExp(`^s .* written by process ${child.pid} on .*, 1 without a result$`, 'm'))
    const deleting = await cli(root, ['sessions', 'delete', 's'])
    expect([deleting.code, deleting.err]).toEqual([1, expect.stringContaining(`written by process ${child.pid}`)])
    writeFileSync(join(root, 'go'), '')
    await once(child, 'exit')
    expect((await cli(root, ['batch', 'calls.jsonl', '--session', 's'])).code).toBe(1)
  })
})

describe('Ctrl-C', () => {
  const interrupted = async (root: string, child: ChildProcess) => {
    let err = ''
    child.stderr?.setEncoding('utf8').on('data', (chunk) => {
      err += chunk
    })
    child.kill('SIGINT')
    while (!err.includes('still stopping')) await once(child.stderr as Readable, 'data')
    return { told: () => err, replayed: async () => (await cli(root, ['replay', 's'])).out }
  }

  test('once logs what came of the calls, and lets others write', async () => {
    const root = workspace({ 'effectful.mjs': EFFECTFUL })
    const child = await inBody(root, 'do_unknown')
    const { told, replayed } = await interrupted(root, child)
    writeFileSync(join(root, 'go'), '')
    expect(await once(child, 'close')).toEqual([130, null])
    expect(told()).toContain('Session s is kept in')
    expect(await replayed()).toMatch(/^✗ do_unknown ABORTED .*\n✗ read ABORTED_BEFORE_DISPATCH .*\n$/)
    expect((await cli(root, ['batch', 'calls.jsonl', '--session', 's'])).err).not.toContain('did not end it')
  })

  test('twice ends at once, and the next one repairs', async () => {
    const root = workspace({ 'effectful.mjs': EFFECTFUL })
    const child = await inBody(root, 'do_unknown')
    const { replayed } = await interrupted(root, child)
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([130, null])
    expect(await replayed()).toMatch(/^… do_unknown has no result in the log: it was running when its process ended$/m)
    expect((await cli(root, ['batch', 'calls.jsonl', '--session', 's'])).err).toContain('(TOOL_OUTCOME_UNKNOWN)')
  })

  test('while calls run again ends it there: the batch is not begun', async () => {
    const root = await killed('do_idempotent')
    rmSync(join(root, 'go'))
    const child = await inBody(root, 'do_unknown')
    const { told, replayed } = await interrupted(root, child)
    writeFileSync(join(root, 'go'), '')
    expect(await once(child, 'close')).toEqual([130, null])
    expect(told()).toContain('Nothing else was begun.\n')
    expect(effects(root)).toHaveLength(2)
    expect(await replayed()).not.toContain('do_unknown')
  })
})

describe('after the process was killed', () => {
  test('a body that did not declare its effects is not run again: its outcome is unknown, and that is told and logged', async () => {
    const root = await killed('do_unknown')
    const { err } = await cli(root, ['--use', 'effectful.mjs', 'batch', 'calls.jsonl', '--session', 's'])
    expect(err).toContain(
      'The process that wrote this session last did not end it:\n  do_unknown was started, and nobody knows what came of it (TOOL_OUTCOME_UNKNOWN)\n',
    )
    expect(effects(root)).toHaveLength(1)
    const { out, code } = await cli(root, ['replay', 's', '--turn', '1'])
    expect(code).toBe(0)
    expect(out).toMatch(
      /^✗ do_unknown TOOL_OUTCOME_UNKNOWN .*Verify what it did before you repeat it\.\n {2}written when the session was opened again$/m,
    )
  })

  test('a body that may be repeated runs again before anything else, under the key it had', async () => {
    const root = await killed('do_idempotent')
    const child = spawn(process.execPath, [MAIN, '--use', 'effectful.mjs', 'batch', 'calls.jsonl', '--session', 's'], { cwd: root })
    let err = ''
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      err += chunk
    })
    await once(child, 'close')
    expect(err).toContain('Running again what was under way and may be repeated: do_idempotent\n')
    expect(err).toContain('  ✓ do_idempotent done\n')
    const [first, second] = effects(root)
    expect(second).toBe(first)
    expect((await cli(root, ['replay', 's', '--turn', '1'])).out).toMatch(/^✓ do_idempotent done/m)
  })
})

describe('dsh replay', () => {
  test('prints the lines that the batch printed, from the log alone', async () => {
    const root = workspace()
    const batch = await cli(root, ['batch', 'calls.jsonl', '--session', 's'])
    const { code, out, err } = await cli(root, ['replay', 's'])
    expect([code, err]).toEqual([0, ''])
    expect(untimed(out)).toBe(untimed(`${batch.out.split('\n').slice(0, 3).join('\n')}\n`))
    expect(out).toMatch(/^✓ read a\.txt · lines 1-2 of 2 · \d+ ms$/m)
  })

  test('prints the same lines for refused arguments, bad cards and failures', async () => {
    const calls = ['throwing', 'nonsense', 'endless', 'date', 'valued', 'absent', 'hostile', 'fails'].map((name) =>
      JSON.stringify({ name }),
    )
    calls.push('{"name":"titled","arguments":"{"}', '{"name":"titled","arguments":"[1]"}', '{"name":"titled","arguments":{"a":1}}')
    const root = workspace({ 'calls.jsonl': calls.join('\n'), 'cards.mjs': CARDS })
    const { out } = await cli(root, ['--use', 'cards.mjs', 'batch', 'calls.jsonl', '--session', 's'])
    const replayed = await cli(root, ['replay', 's'])
    expect(untimed(replayed.out)).toBe(untimed(out.split('\n').slice(0, calls.length).join('\n').concat('\n')))
    expect(replayed.out).toMatch(/^✓ titled \{"a":1\} · done/m)
    expect(replayed.out).toMatch(/^✗ fails TOOL_FAILED boom/m)
  })

  test('shows one turn, or says that there is no such turn', async () => {
    const root = workspace()
    await cli(root, ['batch', 'calls.jsonl', '--session', 's'])
    await cli(root, ['batch', '-', '--session', 's'], { stdin: '{"name":"glob","arguments":{"pattern":"*"}}' })
    expect(untimed((await cli(root, ['replay', 's'])).out)).toMatch(/^Turn 1\n(.*\n){3}Turn 2\n✓ glob/)
    expect((await cli(root, ['replay', 's', '--turn', '2'])).out).toMatch(/^✓ glob[^\n]*\n$/)
    expect(await cli(root, ['replay', 's', '--turn', '3'])).toMatchObject({ code: 2, err: 'dsh: s has no turn 3.\n' })
  })

  test('a session that is not there is an error that names what is', async () => {
    const root = workspace()
    expect(await cli(root, ['replay', 'x'])).toMatchObject({ code: 2, err: expect.stringContaining('keeps none yet') })
    await cli(root, ['batch', 'calls.jsonl', '--session', 's'])
    expect(await cli(root, ['replay', 'x'])).toMatchObject({ code: 2, err: 'dsh: There is no session "x" here. The newest is s.\n' })
    expect(await cli(root, ['replay', 'x.jsonl'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('x.jsonl: there is no such file'),
    })
  })

  test('of a file with a torn last line shows the rest; with a broken line in the middle what is before it, and fails', async () => {
    const root = workspace()
    await cli(root, ['batch', 'calls.jsonl', '--session', 's'])
    const { out: lines } = await cli(root, ['sessions', 'export', 's'])
    const whole = await cli(root, ['replay', 's'])
    writeFileSync(join(root, 'torn.jsonl'), `${lines}{"v":1,"sess`)
    const torn = await cli(root, ['replay', 'torn.jsonl'])
    expect([torn.code, torn.out]).toEqual([0, whole.out])
    const count = lines.trimEnd().split('\n').length
    expect(torn.err).toContain(`torn.jsonl:${count + 1}: the last line is torn and left out`)
    const broken = lines.split('\n')
    broken[count - 2] = 'oops'
    writeFileSync(join(root, 'broken.jsonl'), broken.join('\n'))
    const shown = await cli(root, ['replay', './broken.jsonl'])
    expect(shown.code).toBe(1)
    expect(shown.err).toContain(`broken.jsonl:${count - 1}: Line ${count - 1} is no event of the log: it is not JSON`)
    expect(shown.out).toMatch(/^✓ read/)
  })

  test('what a log holds cannot steer a terminal, and cards of any shape are shown somehow', async () => {
    const event = (seq: number, type: string, data: unknown) => JSON.stringify({ v: 1, session: 's', seq, time: seq, type, data })
    const evil = '\u001b]0;pwned\u0007\u202e'
    const lines = [
      event(1, 'user/message', { source: { kind: 'person', name: 'p' }, content: [{ type: 'text', text: `hi ${evil}` }] }),
      event(2, 'tool/call', { turn: 1, step: 1, callId: 'c', name: `t${evil}`, arguments: '{}', view: { card: 'generic', title: evil } }),
      event(3, 'tool/result', {
        call: 2,
        callId: 'c',
        isError: false,
        content: [{ type: 'text', text: 'ok' }],
        view: { card: 'search', paths: 7 },
      }),
      event(4, 'plugin/event', { any: 'thing' }),
    ]
    const root = folder({ 'log.jsonl': lines.join('\n') })
    const { code, out } = await cli(root, ['replay', 'log.jsonl'])
    expect(code).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is what is tested
    expect(out).not.toMatch(/[\u001b\u0007\u202e]/)
    expect(out).toMatch(/^> hi .*\n✓ t.* · ok\n$/)
    expect((await cli(root, ['replay', 'log.jsonl', '--json'])).json().map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  })
})

test('an event that does not hold what its type promises ends what can be read, and such a log is not imported', async () => {
  const good = { type: 'user/message', data: { source: { kind: 'person', name: 'p' }, content: [{ type: 'text', text: 'hello' }] } }
  const lines = [good, { type: 'tool/call', data: null }, good].map((event, at) =>
    JSON.stringify({ v: 1, session: 's', seq: at + 1, time: 1, ...event }),
  )
  const root = folder({ 'log.jsonl': `${lines.join('\n')}\n` })
  const { code, out, err } = await cli(root, ['replay', 'log.jsonl'])
  expect([code, out]).toEqual([1, '> hello\n'])
  expect(err).toContain(
    'log.jsonl:2: Line 2 is no event of the log: its data is not that of a tool/call event. The 1 event before it can be read.',
  )
  expect(await cli(root, ['sessions', 'import', 'log.jsonl'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Nothing was imported'),
  })
  expect(existsSync(join(root, '.dsh'))).toBe(false)
})

test('says how a call without a result ends, what both sides said, and whether anybody answered', async () => {
  const call = (name: string) => ({ type: 'tool/call', data: { turn: 1, step: 1, callId: 'c', name, arguments: '{}' } })
  const said = (text: string) => [{ type: 'text', text }]
  const events = [
    { type: 'user/message', data: { content: said('do\nit') } },
    { type: 'assistant/message', data: { turn: 1, step: 1, content: said('I will') } },
    call('begun'),
    call('waiting'),
    { type: 'approval/asked', data: { call: 3, reason: 'rule', displayReason: { en: 'May it?' } } },
    { type: 'approval/decided', data: { call: 3, outcome: 'allowed-once' } },
    { type: 'tool/start', data: { call: 3, attempt: 1, effects: 'unknown', definition: 'd' } },
    { type: 'approval/asked', data: { call: 4 } },
    { type: 'approval/decided', data: { call: 4, outcome: 'cancelled', expired: true } },
  ]
  const root = folder({
    'log.jsonl': events.map((event, at) => JSON.stringify({ v: 1, session: 's', seq: at + 1, time: 1, ...event })).join('\n'),
  })
  expect((await cli(root, ['replay', 'log.jsonl'])).out).toBe(`> do
> it
< I will
? begun asks to run: May it?
  allowed once
? waiting asks to run
  nobody answered in time
… begun has no result in the log: it was running when the log ends
… waiting has no result in the log: it had not started when the log ends
`)
})

test('calls come in their order, whatever order their results were written in, and none moves to another turn', async () => {
  const call = (turn: number, name: string) => ({ type: 'tool/call', data: { turn, step: 1, callId: 'c', name, arguments: '{}' } })
  const result = (of: number, repaired?: true) => ({
    type: 'tool/result',
    data: { call: of, callId: 'c', isError: false, content: [{ type: 'text', text: `of ${of}` }], ...(repaired && { repaired }) },
  })
  const events = [call(1, 'a'), call(1, 'b'), call(1, 'open'), call(1, 'd'), result(2, true), result(4), result(1), call(2, 'e'), result(8)]
  const root = folder({
    'log.jsonl': events.map((event, at) => JSON.stringify({ v: 1, session: 's', seq: at + 1, time: 1, ...event })).join('\n'),
  })
  expect((await cli(root, ['replay', 'log.jsonl'])).out).toBe(`Turn 1
✓ a of 1
✓ b of 2
  written when the session was opened again
… open has no result in the log: it had not started when the log ends
✓ d of 4
Turn 2
✓ e of 8
`)
})

describe('dsh sessions', () => {
  test('with none says how to make one; with some lists them, the newest first', async () => {
    const root = workspace()
    expect(await cli(root, ['sessions'])).toMatchObject({
      code: 0,
      out: '',
      err: 'No sessions yet. This makes one: dsh batch FILE --session NAME\n',
    })
    await cli(root, ['batch', 'calls.jsonl', '--session', 'old'])
    await cli(root, ['batch', '-', '--session', 'new'], { stdin: '{"name":"glob","arguments":{"pattern":"*"}}' })
    const { out } = await cli(root, ['sessions'])
    expect(out).toMatch(/^session {2}last event +calls {2}failed {2}state\nnew +\d{4}-\d\d-\d\d \d\d:\d\d +1 +0\nold +.* 3 +1\n$/)
  })

  test('filters by tool, failure, open calls and id', async () => {
    const root = workspace()
    await cli(root, ['batch', 'calls.jsonl', '--session', 'reads'])
    await cli(root, ['batch', '-', '--session', 'globs'], { stdin: '{"name":"glob","arguments":{"pattern":"*"}}' })
    const ids = async (...argv: string[]) => (await cli(root, ['sessions', 'list', '--json', ...argv])).json().map(({ id }) => id)
    expect(await ids('--tool', 'glob')).toEqual(['globs'])
    expect(await ids('--failed')).toEqual(['reads'])
    expect(await ids('--open')).toEqual([])
    expect(await ids('ead')).toEqual(['reads'])
    expect((await cli(root, ['sessions', 'list', '--open'])).err).toBe(
      'None of the 2 sessions matches. dsh sessions alone lists them all.\n',
    )
  })

  test('deletes, and one that is not there stops no other', async () => {
    const root = workspace()
    for (const id of ['a', 'b', 'c']) await cli(root, ['batch', 'calls.jsonl', '--session', id])
    expect(await cli(root, ['sessions', 'delete', 'a', 'nope', 'b'])).toMatchObject({
      code: 1,
      out: 'deleted a\ndeleted b\n',
      err: 'dsh: There is no session "nope" here. The newest is c; dsh sessions lists them all.\n',
    })
    expect((await cli(root, ['sessions', 'list', '--json'])).json().map(({ id }) => id)).toEqual(['c'])
  })

  test('what was under way in an imported log is closed, and not run here', async () => {
    const root = workspace()
    const event = (seq: number, type: string, data: object) => JSON.stringify({ v: 1, session: 'x', seq, time: seq, type, data })
    const lines = [
      event(1, 'tool/call', { turn: 1, step: 1, callId: 'c', name: 'read', arguments: '{"path":"a.txt"}' }),
      event(2, 'tool/start', { call: 1, attempt: 1, effects: 'none', definition: 'd' }),
    ]
    writeFileSync(join(root, 'x.jsonl'), `${lines.join('\n')}\n`)
    expect((await cli(root, ['sessions', 'import', 'x.jsonl'])).code).toBe(0)
    expect((await cli(root, ['sessions', '--json'])).json()).toMatchObject([{ id: 'x', calls: 1, open: 0, failed: 1 }])
    expect((await cli(root, ['replay', 'x'])).out).toContain(
      'TOOL_OUTCOME_UNKNOWN "read" was started and its outcome is not known. The log was imported from elsewhere.',
    )
  })

  test('exports to a new file only, and imports under an id that is free', async () => {
    const root = workspace()
    await cli(root, ['batch', 'calls.jsonl', '--session', 's'])
    expect((await cli(root, ['sessions', 'export', 's', 's.jsonl'])).err).toMatch(/^\d+ events of s are in s\.jsonl\n$/)
    expect(await cli(root, ['sessions', 'export', 's', 's.jsonl'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('it is there already'),
    })
    expect(await cli(root, ['sessions', 'import', 's.jsonl'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is a session s already'),
    })
    expect((await cli(root, ['sessions', 'import', 's.jsonl', 'copy'])).code).toBe(0)
    expect((await cli(root, ['replay', 'copy'])).out).toBe((await cli(root, ['replay', 's'])).out)
    writeFileSync(join(root, 'bad.jsonl'), '{}\n')
    expect(await cli(root, ['sessions', 'import', 'bad.jsonl', 'x'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Nothing was imported'),
    })
    expect(await cli(root, ['sessions', 'import', 'none.jsonl'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no such file'),
    })
  })
})
