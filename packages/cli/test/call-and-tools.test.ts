import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cli, folder, KEYS, PLUGINS } from './run-cli.ts'

describe('dsh call', () => {
  test('prints the content; arguments are typed by the schema', async () => {
    const root = folder({ 'a.txt': 'one\ntwo\n' })
    const { code, out } = await cli(root, ['call', 'read', '--arg', 'path=a.txt', '--arg', 'limit=1'])
    expect(code).toBe(0)
    expect(out).toContain('one')
    expect(out).not.toContain('two\n')
  })

  test('a text argument stays text, even when it looks like JSON', async () => {
    const root = folder({ 'a.txt': 'value 123\n' })
    const { json } = await cli(root, ['call', 'grep', '--arg', 'pattern=123', '--json'])
    expect(json()[0]).toMatchObject({ v: 1, name: 'grep', isError: false, value: { total: 1 } })
  })

  test('--args-json takes all of them from a file or standard input', async () => {
    const root = folder({ 'a.txt': 'one\n', 'args.json': '{"path":"a.txt"}' })
    expect((await cli(root, ['call', 'read', '--args-json', 'args.json'])).code).toBe(0)
    expect((await cli(root, ['call', 'read', '--args-json', '-'], { stdin: '\ufeff{"path":"a.txt"}' })).code).toBe(0)
    const latin = await cli(root, ['call', 'read', '--args-json', '-'], { stdin: Buffer.from('{"path":"caf\u00e9"}', 'latin1') })
    expect([latin.code, latin.err]).toEqual([2, expect.stringMatching(/not UTF-8/)])
  })

  test('a failed call prints to standard error and exits 1', async () => {
    const { code, out, err } = await cli(folder(), ['call', 'read', '--arg', 'path=nope'])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^Error: /)
    const unknown = await cli(folder(), ['call', 'raed'])
    expect(unknown.code).toBe(1)
    expect(unknown.err).toMatch(/Did you mean "read"/)
    const bad = await cli(folder(), ['call', 'read', '--args-json', '-'], { stdin: '{"path":' })
    expect([bad.code, bad.err]).toEqual([1, expect.stringMatching(/not JSON/)])
  })

  test.each([
    [['--arg', 'path'], /name=value/],
    [['--arg', 'Path=a'], /read has no argument of that name; did you mean path\?/],
    [['--arg', 'bogus=1'], /its arguments are path, offset, limit/],
    [['--arg', 'limit=abc'], /limit must be integer/],
    [['--arg', 'path=a', '--arg', 'path=b'], /given twice/],
    [['--arg', 'path=a', '--args-json', 'x'], /not with both/],
    [['--args-json', 'nope.json'], /nope\.json: there is no such file/],
  ])('%j is a usage error', async (argv, message) => {
    const { code, err } = await cli(folder(), ['call', 'read', ...argv])
    expect(code).toBe(2)
    expect(err).toMatch(message)
  })
})

const STANDARD = ['read', 'glob', 'grep', 'write', 'edit', 'job_output', 'job_list', 'job_kill', 'bash', 'read_result']

describe('dsh tools', () => {
  test('lists the tools, shows one, and prints JSON Lines', async () => {
    const root = folder()
    const list = await cli(root, ['tools'])
    const rows = list.out.trimEnd().split('\n')
    expect(rows.map((row) => row.split(' ')[0])).toEqual(['tool', ...STANDARD])
    expect(rows[1]).toMatch(/^read\s+keyed\s+none\s+none\s+Read a text file/)
    const one = await cli(root, ['tools', 'grep'])
    expect(one.out).toMatch(/effects: none/)
    expect(one.out).toMatch(/"pattern"/)
    expect(one.out).toMatch(/"totalFiles"/)
    expect(one.out).toMatch(/cards: of the call, of the result/)
    const json = (await cli(root, ['tools', '--json'])).json()
    expect(json.map((tool) => [tool['v'], tool['name']])).toEqual(STANDARD.map((name) => [1, name]))
    expect(json[0]).toHaveProperty('parameters')
    expect(json[0]).toMatchObject({ overlap: 'keyed', effects: 'none', callable: true })
    expect(json[0]).toHaveProperty('output')
  })

  test('fits a narrow terminal: descriptions get lines of their own', async () => {
    const { out } = await cli(folder(), ['tools'], { tty: true, columns: 40, env: { NO_COLOR: '1' } })
    const lines = out.trimEnd().split('\n')
    expect(lines).toHaveLength(1 + 2 * STANDARD.length)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40)
    expect(lines[2]).toMatch(/^ {2}Read a text file.*…$/)
  })

  test('shows what the command line cannot call, and why', async () => {
    const root = folder({
      'when.mjs': `export default { name: 'when', inject: ['tools'], apply(host) {
        host.tools.register({ name: 'later', description: 'x', parameters: { type: 'object' }, output: { schema: {}, render: () => [] },
          timeoutMs: 5, execute: async () => 1 }, { when: () => true })
      } }`,
    })
    const page = await cli(root, ['--use', 'when.mjs', 'tools', 'later'])
    expect(page.out).toMatch(/overlap: exclusive\neffects: unknown\ndeadline: 5 ms\ncards: none\nnot callable here: "later" is conditional/)
    const [json] = (await cli(root, ['--use', 'when.mjs', 'tools', 'later', '--json'])).json()
    expect(json).toMatchObject({ overlap: 'exclusive', effects: 'unknown', timeoutMs: 5, callable: false })
  })

  test('an unknown name is a usage error with near names', async () => {
    const { code, err } = await cli(folder(), ['tools', 'gerp'])
    expect(code).toBe(2)
    expect(err).toMatch(/Did you mean "grep"/)
  })
})

describe("a user's plugins", () => {
  const examples = new URL('../../../examples/', import.meta.url).pathname

  test('--use mounts a tool and a policy', async () => {
    const root = folder({ '.env': 'KEY=1\n' })
    const use = ['--use', `${examples}word-count-tool.mjs`, '--use', `${examples}deny-secrets-policy.mjs`]
    const counted = await cli(root, [...use, 'call', 'word_count', '--arg', 'text=to be or not to be', '--arg', 'unique=true'])
    expect(counted.out).toBe('4 words\n')
    const denied = await cli(root, [...use, 'call', 'read', '--arg', 'path=.env', '--json'])
    expect(denied.json()[0]).toMatchObject({ isError: true, code: 'GUARD_DENIED' })
    const blocked = await cli(root, [...use, 'call', 'grep', '--arg', 'pattern=KEY', '--arg', 'glob=.env', '--json'])
    expect(blocked.json()[0]).toMatchObject({ isError: true, code: 'RESULT_BLOCKED' })
    expect(blocked.out).not.toContain('KEY=1')
  })

  test('the policy that asks leaves tools without effects alone, and asks before others', async () => {
    const root = folder({ ...PLUGINS, 'a.txt': 'x' })
    const use = ['--use', `${examples}ask-before-policy.mjs`, '--use', 'long.mjs', 'call']
    expect((await cli(root, [...use, 'read', '--arg', 'path=a.txt'])).code).toBe(0)
    const asked = await cli(root, [...use, 'long', '--json'], {
      tty: true,
      env: { NO_COLOR: '1' },
      answer: { when: /to navigate/, say: KEYS.enter },
    })
    expect(asked.err).toMatch(/long asks to run: It may change something/)
    expect(asked.json()[0]).toMatchObject({ code: 'APPROVAL_REJECTED' })
  })

  test('the calls of the examples run on this repository', async () => {
    const { code } = await cli(new URL('../../..', import.meta.url).pathname, ['batch', 'examples/calls.jsonl'])
    expect(code).toBe(0)
  })

  test('that the workspace mounts code is said, and --no-config leaves it out', async () => {
    const root = folder({
      'dsh.config.mjs': `export default { name: 'closed', inject: ['tools'], apply: (host) => void host.tools.guard(() => 'closed') }`,
    })
    const argv = ['call', 'glob', '--arg', 'pattern=*']
    const mounted = await cli(root, argv)
    expect([mounted.code, mounted.err]).toEqual([1, expect.stringMatching(/^dsh: using .*dsh\.config\.mjs .*\nError: .*closed/)])
    const left = await cli(root, ['--no-config', ...argv])
    expect([left.code, left.err]).toEqual([0, ''])
    const named = await cli(root, ['--use', 'dsh.config.mjs', ...argv])
    expect([named.code, named.err]).toEqual([1, expect.stringMatching(/closed/)])
  })

  test('a plugin may wait for a service that a later one provides', async () => {
    const root = folder({
      'needs.mjs': `export default { name: 'needs', inject: ['tools', 'model'], apply: (host) => void host.tools.guard(() => 'it started') }`,
      'gives.mjs': `export default { name: 'gives', apply: (host) => void host.provide('model', {}) }`,
    })
    const { err } = await cli(root, ['--use', 'needs.mjs', '--use', 'gives.mjs', 'call', 'glob', '--arg', 'pattern=*'])
    expect(err).toMatch(/it started/)
  })

  test('dsh.config.mjs of the workspace mounts a list of them, with their configuration', async () => {
    const root = folder({
      'dsh.config.mjs': `
        const named = { name: 'named', inject: ['tools'], apply(host, config) { host.tools.guard(() => config?.reason) } }
        export default { plugins: [[named, { reason: 'closed today' }]] }`,
    })
    const { err } = await cli(root, ['call', 'glob', '--arg', 'pattern=*'])
    expect(err).toMatch(/closed today/)
  })

  test.each([
    ['nope.mjs', undefined, /no such file/],
    ['lost.mjs', 'import "@nobody/has-this"', /Install @nobody\/has-this in the folder of that file/],
    ['bad.mjs', 'export default 1', /entry 1 .* is not a plugin/],
    ['syntax.mjs', 'export default {', /could not be loaded/],
    ['none.mjs', 'export const x = 1', /no default export/],
    ['waits.mjs', 'export default { name: "w", inject: ["tools", "model"], apply() {} }', /"w" did not start: it needs "model"/],
    ['throws.mjs', 'export default { name: "t", apply() { throw new Error("no key") } }', /plugin "t" could not be mounted: no key/],
  ])('%s that cannot be used is an error naming the file', async (name, text, message) => {
    const root = folder(text === undefined ? {} : { [name]: text })
    const { code, err } = await cli(root, ['--use', name, 'tools'])
    expect(code).toBe(2)
    expect(err).toContain(name)
    expect(err).toMatch(message)
  })
})

describe('policies that break', () => {
  test('a folder is no plugin file', async () => {
    const { code, err } = await cli(folder({ 'plugins/a.mjs': '' }), ['--use', 'plugins', 'tools'])
    expect([code, err]).toEqual([2, expect.stringMatching(/plugins: it is not a file/)])
  })

  test('tell the person who runs this why; the result says only which', async () => {
    const root = folder({
      'bad.mjs': `export default { name: 'bad', inject: ['tools'], apply(host) { host.tools.guard(() => { throw new Error('guard boom') }) } }`,
    })
    const { err, json } = await cli(root, ['--use', 'bad.mjs', 'call', 'glob', '--arg', 'pattern=*', '--json'])
    expect(err).toMatch(/guard boom/)
    expect(json()[0]).toMatchObject({ code: 'POLICY_FAILED' })
    expect(JSON.stringify(json()[0])).not.toContain('boom')
    const misspelt = folder({
      'typo.mjs': `export default { name: 'typo', apply(host) { host.on('tools/preexecute', async () => ({ kind: 'deny', reason: 'x' })) } }`,
    })
    const refused = await cli(misspelt, ['--use', 'typo.mjs', 'tools'])
    expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/Did you mean tools\/pre-execute/)])
  })
})

describe('asks', () => {
  const root = () => folder({ ...PLUGINS, 'a.txt': 'one\n' })
  const argv = ['--use', 'ask.mjs', 'call', 'read', '--arg', 'path=a.txt', '--json']

  test('reach the person at the terminal, who may allow once', async () => {
    const { json, err } = await cli(root(), argv, {
      tty: true,
      env: { NO_COLOR: '1' },
      answer: { when: /to navigate/, say: KEYS.up + KEYS.enter },
    })
    expect(json()[0]).toMatchObject({ isError: false })
    expect(err).toMatch(/read asks to run: house rule/)
    expect(err).toMatch(/a\.txt/)
  })

  test('a refusal carries the note to the model', async () => {
    const { json } = await cli(root(), argv, {
      tty: true,
      answer: [
        { when: /to navigate/, say: KEYS.down + KEYS.enter },
        { when: /Why\?/, say: `use the other file${KEYS.enter}` },
      ],
    })
    expect(json()[0]).toMatchObject({ isError: true, code: 'APPROVAL_REJECTED' })
    expect(JSON.stringify(json()[0])).toContain('use the other file')
  })

  test('the end of the input is no answer: the call is denied, and later ones are not asked', async () => {
    const stdin = '{"name":"read","arguments":{"path":"a.txt"}}'
    const files = root()
    writeFileSync(`${files}/calls.jsonl`, `${stdin}\n${stdin}`)
    const { code, json } = await cli(files, ['--use', 'ask.mjs', 'batch', 'calls.jsonl', '--json'], {
      tty: true,
      answer: { when: /to navigate/, say: undefined },
    })
    expect(code).toBe(1)
    expect(json().map((result) => result['code'])).toEqual(['APPROVAL_CANCELLED', 'APPROVAL_UNAVAILABLE'])
  })

  test('without a terminal they are denied, saying so; --approve never switches them off', async () => {
    const piped = await cli(root(), argv)
    expect(piped.json()[0]).toMatchObject({ isError: true, code: 'APPROVAL_UNAVAILABLE' })
    expect(JSON.stringify(piped.json()[0])).toContain('no terminal')
    const never = await cli(root(), ['--approve', 'never', ...argv], { tty: true })
    expect(JSON.stringify(never.json()[0])).toContain('--approve never')
  })
})

describe('Ctrl-C', () => {
  test('once cancels, says what is still stopping, waits, and exits 130; twice ends at once', async () => {
    const root = folder(PLUGINS)
    const exits: number[] = []
    let interrupt = () => {}
    process.once('dsh-test-started' as never, () => {
      interrupt()
      interrupt()
    })
    const { code, err, json } = await cli(root, ['--use', 'slow.mjs', 'batch', '-', '--json'], {
      stdin: '{"name":"slow"}\n{"name":"slow"}',
      exits,
      onStart: (interrupts) => {
        interrupt = interrupts
      },
    })
    expect(code).toBe(130)
    expect(err).toMatch(/still stopping: slow/)
    expect(exits).toEqual([130])
    expect(json().map((result) => result['code'])).toEqual(['ABORTED', 'ABORTED_BEFORE_DISPATCH'])
  })
})

describe('help', () => {
  test('--help and --version exit 0', async () => {
    const help = await cli(folder(), ['--help'])
    expect(help.code).toBe(0)
    expect(help.out).toMatch(/dsh batch calls\.jsonl/)
    expect(await cli(folder(), ['help'])).toMatchObject({ code: 0, out: help.out })
    expect((await cli(folder(), ['help', 'call'])).out).toMatch(/--args-json/)
    expect((await cli(folder(), ['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test('--debug shows the stack of what stopped it', async () => {
    const { err } = await cli(folder(), ['--debug', 'batch', 'nope'])
    expect(err).toMatch(/\n\s+at /)
  })
})
