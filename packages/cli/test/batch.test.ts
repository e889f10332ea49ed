import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asNobody, cli, folder, PLUGINS } from './run-cli.ts'

const line = (name: string, args: unknown, callId?: string) => JSON.stringify({ name, arguments: args, ...(callId && { callId }) })

describe('dsh batch', () => {
  test('runs the calls of a file on real files, prints one line a call and a summary', async () => {
    const root = folder({
      'a.txt': 'one\ntwo\n',
      'b.txt': 'two\n',
      'calls.jsonl': [line('read', { path: 'a.txt' }), line('grep', { pattern: 'two' }), line('glob', { pattern: '*.txt' })].join('\n'),
    })
    const { code, out, err } = await cli(root, ['batch', 'calls.jsonl'])
    expect(code).toBe(0)
    expect(err).toBe('')
    const lines = out.trimEnd().split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[0]).toMatch(/^✓ read .*a\.txt.*lines 1-2 of 2 · \d+ ms$/)
    expect(lines[1]).toMatch(/^✓ grep .*3 matches in 3 files · \d+ ms$/)
    expect(lines[2]).toMatch(/^✓ glob .*2 paths · \d+ ms$/)
    expect(lines[3]).toMatch(/^3 calls, 3 ok in \d+ ms$/)
  })

  test('--json prints one JSON line per result, in input order, with v, callId, name, isError, code, value and content', async () => {
    const root = folder({
      'a.txt': 'one\n',
      'calls.jsonl': [line('read', { path: 'a.txt' }, 'x'), line('read', { path: 'b.txt' }, 'y')].join('\n'),
    })
    const { code, json, err } = await cli(root, ['batch', 'calls.jsonl', '--json'])
    expect(code).toBe(1)
    expect(err).toBe('')
    const [first, second] = json()
    expect(first).toMatchObject({ v: 1, callId: 'x', name: 'read', isError: false, value: { path: 'a.txt' }, content: [{ type: 'text' }] })
    expect(first).not.toHaveProperty('code')
    expect(second).toMatchObject({ v: 1, callId: 'y', name: 'read', isError: true, code: 'FILE_NOT_FOUND', content: [{ type: 'text' }] })
    expect(second).not.toHaveProperty('value')
  })

  test('- is standard input', async () => {
    const root = folder({ 'a.txt': 'one\n' })
    const { code, json } = await cli(root, ['batch', '-', '--json'], { stdin: line('read', { path: 'a.txt' }) })
    expect([code, json().length]).toEqual([0, 1])
  })

  test('--cwd roots the tools, and paths outside of it are refused', async () => {
    const root = folder({ 'in/a.txt': 'one\n', 'out.txt': 'secret\n' })
    const { json } = await cli(root, ['--cwd', 'in', 'batch', '-', '--json'], {
      stdin: [line('read', { path: 'a.txt' }), line('read', { path: '../out.txt' })].join('\n'),
    })
    expect(json()[0]).not.toHaveProperty('code')
    expect(json()[1]).toMatchObject({ code: 'GUARD_DENIED', content: [{ text: expect.stringContaining('OUTSIDE_WORKSPACE') }] })
  })

  test('a broken line is reported with its number, in its place, and stops no other', async () => {
    const root = folder({
      'a.txt': 'one\n',
      'calls.jsonl': Buffer.concat([
        Buffer.from(
          `\ufeff${line('read', { path: 'a.txt' })}\r\n\r\nnot json\n[1]\n{"arguments":{}}\n{"name":"read","arguments":{},"extra":1}\n`,
        ),
        Buffer.from([0xff, 0xfe, 0x0a]),
        Buffer.from(line('glob', { pattern: '*' })),
      ]),
    })
    const { code, json, err } = await cli(root, ['batch', 'calls.jsonl', '--json'])
    expect(code).toBe(1)
    expect(json().map((result) => result['line'] ?? result['name'])).toEqual(['read', 3, 4, 5, 6, 7, 'glob'])
    expect(json()[1]).toMatchObject({ v: 1, line: 3, isError: true, code: 'INVALID_LINE' })
    for (const [at, what] of [
      [3, 'not JSON'],
      [4, 'must be an object'],
      [5, 'no "name"'],
      [6, 'unknown field "extra"'],
      [7, 'not UTF-8'],
    ] as const) {
      expect(err).toMatch(new RegExp(`calls\\.jsonl:${at}: skipped: .*${what}`))
    }
  })

  test('arguments are an object or the raw text; numbers keep their digits, and one that cannot be held is refused', async () => {
    const root = folder({ 'a.txt': 'one\n' })
    const stdin = [
      line('read', '{"path":"a.txt"}'),
      '{"name":"read","arguments":{"path":"a.txt","limit": 9007199254740993}}',
      '{"name":"read","arguments":"{\\"path\\":"}',
      '{"name":"glob"}',
      '{"name":"read","arguments":[1]}',
    ].join('\n')
    const { json } = await cli(root, ['batch', '-', '--json'], { stdin })
    expect(json().map((result) => result['code'])).toEqual([undefined, 'INVALID_ARGS', 'INVALID_ARGS', 'INVALID_ARGS', 'INVALID_ARGS'])
    expect(JSON.stringify(json()[1])).toContain('9007199254740993')
  })

  test('a call as the runtime has it is taken too; a line of another type is broken', async () => {
    const raw = '{"type":"tool-call","name":"glob","arguments":"{\\"pattern\\":\\"*\\"}"}'
    const { json } = await cli(folder(), ['batch', '-', '--json'], { stdin: `${raw}\n${raw.replace('tool-call', 'text')}` })
    expect(json().map((result) => result['code'])).toEqual([undefined, 'INVALID_LINE'])
  })

  test('calls without a callId get different ones', async () => {
    const { json } = await cli(folder(), ['batch', '-', '--json'], { stdin: `${line('glob', { pattern: '*' })}\n`.repeat(3) })
    expect(new Set(json().map((result) => result['callId'])).size).toBe(3)
  })

  test('a file that may not be read is a usage error', async () => {
    const root = folder({ 'calls.jsonl': '' })
    chmodSync(join(root, 'calls.jsonl'), 0o000)
    await asNobody(root, async () => {
      const { code, err } = await cli(root, ['batch', 'calls.jsonl'])
      expect([code, err]).toEqual([2, expect.stringMatching(/calls\.jsonl: it may not be read/)])
    })
  })

  test('a truncated result says so in its line', async () => {
    const root = folder(Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`${index}.txt`, 'x'])))
    const { out } = await cli(root, ['batch', '-'], { stdin: line('glob', { pattern: '*.txt' }) })
    expect(out).toMatch(/ 100 of 101 paths /)
  })

  test('a failed call shows its code and the message, without the envelope', async () => {
    const { out } = await cli(folder(), ['batch', '-'], { stdin: line('read', { path: 'nope.txt' }) })
    expect(out).toMatch(/^✗ read FILE_NOT_FOUND nope\.txt · There is no nope\.txt/)
    expect(out).toMatch(/\n1 call, 0 ok, 1 failed in \d+ ms\n$/)
  })

  test('cards that fail or are nonsense cost themselves, not the result', async () => {
    const { code, out } = await cli(folder(PLUGINS), ['--use', 'bad-cards.mjs', 'batch', '-'], {
      stdin: `${line('throwing', {})}\n${line('nonsense', {})}`,
    })
    expect(code).toBe(0)
    expect(out).toMatch(/^✓ throwing done · \d+ ms\n✓ nonsense done · \d+ ms\n2 calls, 2 ok/)
  })

  test('a result of one endless line is bounded', async () => {
    const { out } = await cli(folder(PLUGINS), ['--use', 'long.mjs', 'batch', '-'], { stdin: line('long', {}) })
    expect(out.length).toBeLessThan(500)
  })

  test('equal callIds are two calls, an unknown tool fails with near names, an empty file says so', async () => {
    const root = folder({ 'a.txt': 'one\n', 'empty.jsonl': '\n\n' })
    const { json, code } = await cli(root, ['batch', '-', '--json'], {
      stdin: [line('glob', { pattern: 'a*' }, 'x'), line('raed', {}, 'x')].join('\n'),
    })
    expect(json().map((result) => [result['callId'], result['code']])).toEqual([
      ['x', undefined],
      ['x', 'UNKNOWN_TOOL'],
    ])
    expect(JSON.stringify(json()[1])).toContain('\\"read\\"')
    expect(code).toBe(1)
    const empty = await cli(root, ['batch', 'empty.jsonl'])
    expect([empty.code, empty.err, empty.out]).toEqual([0, 'empty.jsonl holds no calls.\n', ''])
  })

  test.each([
    [['batch', 'nope.jsonl'], /nope\.jsonl: there is no such file/],
    [['batch', '.'], /\.: it is a folder/],
    [['batch', 'a', 'b'], /too many arguments/],
    [['tools', 'read', 'grep'], /too many arguments/],
    [['batch', 'x', '--timeout', '99999999999'], /up to 2147483647/],
    [['batch'], /missing required argument/],
    [['bathc'], /no command "bathc"/],
    [['batch', 'x', '--nope'], /unknown option/],
    [['--cwd', 'nope', 'batch', 'x'], /--cwd .*nope: there is no such folder/],
    [['batch', 'x', '--max-parallel', '1.5'], /whole number/],
    [['--approve', 'maybe', 'batch', 'x'], /Allowed choices/],
  ])('%j is a usage error: exit 2, naming the thing and the way out', async (argv, message) => {
    const { code, err, out } = await cli(folder(), argv)
    expect(code).toBe(2)
    expect(err).toMatch(message)
    expect(err).not.toMatch(/\n\s+at /)
    expect(out).toBe('')
  })

  test('lines are cut to the terminal, also where characters are two columns wide; elsewhere nothing is cut', async () => {
    const name = `${'文件名很长'.repeat(10)}.txt`
    const root = folder({ [name]: '中文\n' })
    const stdin = line('read', { path: name })
    const terminal = await cli(root, ['batch', '-'], { stdin, tty: true, columns: 40, env: { NO_COLOR: '1' } })
    const [first] = terminal.out.split('\n') as [string]
    const width = [...first].reduce((sum, char) => sum + (char > '\u2e80' ? 2 : 1), 0)
    expect(width).toBeLessThanOrEqual(40)
    expect(first).toMatch(/^✓ read 文件名很?… · lines 1-1 of 1( · \d+ ms)?$/)
    const piped = await cli(root, ['batch', '-'], { stdin })
    expect(piped.out).toContain(name)
  })

  test('colour only on a terminal, and never with NO_COLOR', async () => {
    const root = folder({ 'a.txt': 'x' })
    const stdin = line('read', { path: 'a.txt' })
    const sequence = '\u001b['
    expect((await cli(root, ['batch', '-'], { stdin, tty: true })).out).toContain(sequence)
    expect((await cli(root, ['batch', '-'], { stdin, tty: true, env: { NO_COLOR: '1' } })).out).not.toContain(sequence)
    expect((await cli(root, ['batch', '-'], { stdin })).out).not.toContain(sequence)
  })

  test('control sequences and reordering marks of a tool never reach the terminal', async () => {
    const root = folder(PLUGINS)
    for (const argv of [
      ['batch', '-'],
      ['call', 'hostile'],
    ]) {
      const { out } = await cli(root, ['--use', 'hostile.mjs', ...argv], { stdin: line('hostile', {}), tty: true, env: { NO_COLOR: '1' } })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      expect(out).not.toMatch(/[\u001b\u0007\u009b\u202e]/)
      expect(out).toContain('hi')
    }
    const raw = await cli(root, ['--use', 'hostile.mjs', 'batch', '-', '--json'], { stdin: line('hostile', {}), tty: true })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(raw.out).not.toMatch(/[\u001b\u0007\u009b\u202e]/)
    expect(raw.json()[0]).toMatchObject({ content: [{ text: '\u001b]0;pwned\u0007\u001b[2J\u009b2Jhi\u202e there' }] })
  })
})

describe('the batch goes in as one', () => {
  const run = (use: string, stdin: string, ...more: string[]) =>
    cli(folder({ ...PLUGINS, 'a.txt': 'x' }), ['--use', use, 'batch', '-', '--json', ...more], { stdin })

  test('calls that a body makes for the same agent are not taken for those of the file', async () => {
    const { code, json } = await run('nested.mjs', `${line('outer', {})}\n${line('glob', { pattern: '*.txt' })}`)
    expect(code).toBe(0)
    expect(json().map((result) => [result['name'], result['isError']])).toEqual([
      ['outer', false],
      ['glob', false],
    ])
    expect(json()[0]).toMatchObject({ value: 2 })
    expect(json()[1]).toMatchObject({ value: { total: 1 } })
  })

  test('--max-parallel bounds what runs at once', async () => {
    const most = async (n: string) => {
      const { json } = await run('counting.mjs', `${line('counted', {})}\n`.repeat(6), '--max-parallel', n)
      return Math.max(...json().map((result) => result['value'] as number))
    }
    expect([await most('1'), await most('3')]).toEqual([1, 3])
  })

  test('an executor of a plugin is told in full, also when it does without the pipeline', async () => {
    const { code, json } = await run('own-executor.mjs', `${line('a', {})}\n${line('b', {})}`)
    expect(code).toBe(0)
    expect(json().map((result) => result['value'])).toEqual(['a', 'b'])
  })

  test('where the machinery fails every call still gets its result, and it is said what failed', async () => {
    const { code, json, err } = await run('broken-executor.mjs', `${line('read', {})}\nnope\n${line('grep', {})}`)
    expect(code).toBe(1)
    expect(json().map((result) => result['code'])).toEqual(['TOOL_OUTCOME_UNKNOWN', 'INVALID_LINE', 'TOOL_OUTCOME_UNKNOWN'])
    expect(err).toMatch(/2 of its calls have no result.*no line/)
  })
})

test('of a file that is no JSON Lines only the first lines are told, and that there are more', async () => {
  const { code, err } = await cli(folder({ 'README.md': '# not JSON\n'.repeat(500) }), ['batch', 'README.md'])
  expect(code).toBe(1)
  expect(err.trimEnd().split('\n')).toHaveLength(21)
  expect(err).toMatch(/more lines are skipped/)
})
