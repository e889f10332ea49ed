import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cli, folder, KEYS, PLUGINS } from './run-cli.ts'

const REPOSITORY = new URL('../../..', import.meta.url).pathname

type Answer = string | readonly (readonly [name: string, args?: unknown])[]

/** A recording: what the model says, in order; a text is its last word, a list the calls that it makes after a word. */
function recording(...answers: readonly Answer[]): string {
  const lines = answers.map((answer, at) => {
    const calls = typeof answer === 'string' ? [] : answer
    const events = [
      { kind: 'text', text: typeof answer === 'string' ? answer : `Step ${at + 1}.` },
      ...calls.map(([name, args = {}], index) => ({
        kind: 'tool-call',
        call: { type: 'tool-call', callId: `c${at}.${index}`, name, arguments: JSON.stringify(args) },
      })),
      { kind: 'usage', usage: { inputTokens: 1_000, outputTokens: 20 } },
      { kind: 'finish', reason: calls.length > 0 ? 'tool-calls' : 'stop' },
    ]
    return JSON.stringify({ v: 1, at, events })
  })
  return `${lines.join('\n')}\n`
}

const EFFECTS = `export default { name: 'effects', inject: ['tools'], apply(host) {
  host.tools.register({ name: 'change', description: 'Changes something.', parameters: { type: 'object' },
    output: { schema: {}, render: () => [{ type: 'text', text: 'changed' }] },
    presentCall: (args) => ({ card: 'terminal', title: 'rm -rf build', cwd: '/repo' }),
    execute: async (args) => { globalThis.changed = (globalThis.changed ?? 0) + 1; return null } })
} }`

function workspace(answers: readonly Answer[], files: Readonly<Record<string, string>> = {}): string {
  return folder({ 'a.txt': 'one\ntwo\n', 'answers.jsonl': recording(...answers), 'effects.mjs': EFFECTS, ...PLUGINS, ...files })
}

const MODEL = ['--model', 'recorded:answers.jsonl'] as const
const ran = () => {
  const { changed = 0 } = globalThis as { changed?: number }
  ;(globalThis as { changed?: number }).changed = 0
  return changed
}

describe('dsh run', () => {
  test('lets the model work: its answer is the output, and a person reads what was done', async () => {
    const root = workspace([
      [
        ['read', { path: 'a.txt' }],
        ['glob', { pattern: '*.txt' }],
      ],
      'There are two lines.',
    ])
    const { code, out, err } = await cli(root, ['run', 'What is in a.txt?', ...MODEL, '--session', 's'])
    expect([code, out]).toEqual([0, 'There are two lines.\n'])
    expect(err).toMatch(/A new session: s\nStep 1\.\n✓ read a\.txt · lines 1-2 of 2 · \d+ ms\n✓ glob \*\.txt · 1 path · \d+ ms\n/)
    expect(err).toMatch(
      /\n2 steps, 2 calls, 2,000 \+ 40 tokens, \d+\.\d s\nSession s is kept in \.dsh\/sessions\.db; dsh replay s shows it\.\n$/,
    )
    const replayed = await cli(root, ['replay', 's'])
    expect(replayed.out).toMatch(/> What is in a\.txt\?\n< Step 1\.\n✓ read a\.txt.*\n✓ glob .*\n< There are two lines\.\n/)
  })

  test('on a terminal writes what the model says as it comes, and one line for each call', async () => {
    const root = workspace([[['read', { path: 'a.txt' }]], 'There are two lines.'])
    const { out, err } = await cli(root, ['run', 'x', ...MODEL], { tty: true, env: { NO_COLOR: '1' } })
    expect(out).toBe('Step 1.\nThere are two lines.\n')
    expect(err).toContain('✓ read a.txt')
  })

  test('--json prints the events of the log, and the result last', async () => {
    const { json, code } = await cli(workspace([[['read', { path: 'a.txt' }]], 'Two.']), ['run', 'x', ...MODEL, '--json'])
    const lines = json()
    expect(code).toBe(0)
    expect(lines.every(({ v }) => v === 1)).toBe(true)
    expect(lines.map(({ type }) => type)).toEqual([
      'turn/start',
      'user/message',
      'step/start',
      'assistant/message',
      'session/start',
      'tool/call',
      'tool/start',
      'tool/result',
      'step/start',
      'assistant/message',
      'turn/end',
      'result',
    ])
    expect(lines.at(-1)).toMatchObject({ outcome: 'answered', text: 'Two.', steps: 2, usage: { inputTokens: 2_000 } })
    expect(lines.find(({ type }) => type === 'tool/result')).toMatchObject({ data: { view: { card: 'read' } } })
  })

  test('reads the prompt from standard input, goes on with a session, and keeps answers for another time', async () => {
    const root = workspace(['First.', 'Second.'])
    await cli(root, ['run', '-', ...MODEL, '--session', 's', '--record', 'kept.jsonl'], { stdin: 'one\n' })
    const second = await cli(root, ['run', 'two', ...MODEL, '--session', 's', '--record', 'kept.jsonl'])
    expect(second.out).toBe('Second.\n')
    const kept = await cli(root, ['run', 'one\n', '--model', 'recorded:kept.jsonl', '--session', 't'])
    expect(kept.out).toBe('First.\n')
    expect(readFileSync(join(root, 'kept.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2)
  })

  test('says when the turn was ended by its limit of steps, or by the model failing; the exit code, too', async () => {
    const root = workspace([[['read', { path: 'a.txt' }]]])
    const limited = await cli(root, ['run', 'x', ...MODEL, '--max-steps', '1'])
    expect([limited.code, limited.err]).toEqual([1, expect.stringContaining('ended after 1 steps; --max-steps allows more')])
    const failed = await cli(root, ['run', 'x', ...MODEL])
    expect([failed.code, failed.out]).toEqual([1, ''])
    expect(failed.err).toMatch(
      /dsh: the turn failed \(MODEL_REQUEST_REFUSED\): .*answers\.jsonl holds 1 answers, and none for the conversation "x" after 1 answer\./,
    )
  })
})

describe('the model', () => {
  test.each([
    [
      [],
      {},
      /Which model\? Name it with --model provider:name.*\n {2}anthropic: ANTHROPIC_API_KEY \(https:.*\n[\s\S]*npm start in a checkout/,
    ],
    [[], { OPENAI_API_KEY: 'x' }, /There are keys for openai\./],
    [
      ['--model', 'anthropic:x'],
      {},
      /--model anthropic:x: there is no key\. Set ANTHROPIC_API_KEY; https:\S+ gives one\. Without any, npm start/,
    ],
    [['--model', 'nobody:x'], {}, /The providers are anthropic, deepseek, openai, compatible, and recorded:FILE/],
    [['--model', 'x'], {}, /name it as provider:name/],
    [['--model', 'compatible:x'], {}, /set OPENAI_COMPATIBLE_BASE_URL to the address of the server/],
    [['--model', 'recorded:nope'], {}, /--model recorded:nope: .*no such file/],
  ] as const)('that cannot be had is told with the way out: %j %j', async (options, env, expected) => {
    const { code, out, err } = await cli(folder(), ['run', 'x', ...options], { env })
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(expected)
  })

  test('of a provider is asked over HTTP, with the key of the environment', async () => {
    const heard: { readonly key: string | undefined; readonly body: string }[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      heard.push({ key: request.headers.authorization, body })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const data = (delta: object, finish: string | null) =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
      response.end(`${data({ content: '你好!' }, null)}${data({}, 'stop')}data: [DONE]\n\n`)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const env = { OPENAI_COMPATIBLE_BASE_URL: url, OPENAI_COMPATIBLE_API_KEY: 'k', DSH_MODEL: 'compatible:some' }
    const { code, out } = await cli(folder(), ['run', 'Say hello.'], { env })
    expect([code, out]).toEqual([0, '你好!\n'])
    expect(heard[0]?.key).toBe('Bearer k')
    const sent = JSON.parse(heard[0]?.body ?? '') as { readonly tools: readonly { readonly function: { readonly name: string } }[] }
    expect(sent).toMatchObject({ model: 'some', stream: true })
    expect(sent.tools.map((tool) => tool.function.name)).toEqual(expect.arrayContaining(['read', 'edit', 'bash', 'read_result']))
  })
})

describe('approvals', () => {
  const answers: readonly Answer[] = [[['change'], ['read', { path: 'a.txt' }]], [['change']], 'Done.']
  const argv = ['--use', 'effects.mjs', 'run', 'x', ...MODEL] as const

  test('without a terminal what may change something is denied, saying what would allow it; what changes nothing runs', async () => {
    const { code, err, json } = await cli(workspace(answers), [...argv, '--json'])
    expect([code, ran()]).toEqual([0, 0])
    const results = json().filter(({ type }) => type === 'tool/result') as { data: { isError: boolean; content: { text: string }[] } }[]
    expect(results.map(({ data }) => data.isError)).toEqual([true, false, true])
    expect(results[0]?.data.content[0]?.text).toMatch(/no terminal.*dsh run --rules FILE/)
    expect(err).not.toContain('asks to run')
  })

  test('--approve never and rules say which switch it is; rules have to be there', async () => {
    const never = await cli(workspace(answers), ['--approve', 'never', ...argv, '--json'], { tty: true })
    expect(never.out).toContain('--approve never')
    const rules = await cli(
      workspace(answers, { 'rules.json': '[]' }),
      ['--approve', 'rules', ...argv, '--rules', 'rules.json', '--json'],
      { tty: true },
    )
    expect(rules.out).toContain('no rule of --rules FILE allows it')
    const none = await cli(workspace(answers), ['--approve', 'rules', ...argv])
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('there are no rules. Name their file with --rules FILE.')])
    expect(ran()).toBe(0)
  })

  test('a rule decides without anybody', async () => {
    const allow = JSON.stringify([{ tool: 'change', decide: 'allow', reason: 'It is a test.' }])
    await cli(workspace(answers, { 'rules.json': allow }), [...argv, '--rules', 'rules.json'])
    expect(ran()).toBe(2)
    const deny = JSON.stringify([{ tool: 'ch*', decide: 'deny', reason: 'Not in a test.' }])
    const { err } = await cli(workspace(answers, { 'rules.json': deny }), [...argv, '--rules', 'rules.json'])
    expect([ran(), err]).toEqual([0, expect.stringContaining('Not in a test.')])
  })

  test.each([
    ['nope.json', undefined, /--rules nope\.json: there is no such file\. Name a file that holds a JSON list/],
    ['rules.json', '{', /--rules rules\.json: it is not JSON/],
    ['rules.json', '{}', /--rules rules\.json: it holds no list/],
    ['rules.json', '[{"tool":"x","decide":"perhaps","reason":"r"}]', /rules\[0\]\.decide must be "allow", "ask" or "deny"/],
  ])('rules that are none are refused before the model is asked: %s %s', async (file, text, expected) => {
    const root = workspace(answers, text === undefined ? {} : { [file]: text })
    const { code, err } = await cli(root, [...argv, '--rules', file])
    expect([code, err]).toEqual([2, expect.stringMatching(expected)])
  })

  const terminal = { tty: true, env: { NO_COLOR: '1' } }

  test('a person sees what would run, and why they are asked, and may allow it once', async () => {
    const { err, code } = await cli(workspace(answers), argv, {
      ...terminal,
      answer: { when: /to navigate/, say: KEYS.up + KEYS.up + KEYS.enter },
    })
    expect([code, ran()]).toEqual([0, 2])
    expect(err).toMatch(/\? change asks to run: Nothing says that change changes nothing\.\n {2}in \/repo\n {2}\$ rm -rf build\n/)
    expect(err.match(/asks to run/g)).toHaveLength(2)
  })

  test('allowing for the session is asked once, and kept in its log', async () => {
    const root = workspace(answers)
    const { err } = await cli(root, [...argv, '--session', 's'], {
      ...terminal,
      answer: { when: /to navigate/, say: KEYS.up + KEYS.enter },
    })
    expect([ran(), err.match(/asks to run/g)?.length]).toEqual([2, 1])
    expect((await cli(root, ['replay', 's', '--json'])).out).toContain('"approval/granted"')
  })

  test('what is typed before the question stands there allows nothing', async () => {
    await cli(workspace(answers), argv, { ...terminal, answer: { when: /to navigate/, say: KEYS.enter } })
    expect(ran()).toBe(0)
  })

  test('a reason goes to the model; Escape denies without one', async () => {
    const answer = [
      { when: /to navigate/, say: KEYS.down + KEYS.enter },
      { when: /Why\?/, say: `不是现在${KEYS.enter}` },
    ]
    const refused = await cli(workspace(answers), [...argv, '--json'], { ...terminal, answer })
    expect(refused.out).toContain('They said: 不是现在')
    const escaped = await cli(workspace(answers), [...argv, '--json'], { ...terminal, answer: { when: /to navigate/, say: KEYS.escape } })
    expect(escaped.out).toContain('APPROVAL_REJECTED')
    expect(ran()).toBe(0)
  })

  test('denying can end the turn, with an exit code of its own', async () => {
    const { code, err, json } = await cli(workspace(answers), [...argv, '--json'], {
      ...terminal,
      answer: { when: /to navigate/, say: KEYS.down + KEYS.down + KEYS.enter },
    })
    expect([code, ran()]).toEqual([3, 0])
    expect(json().at(-1)).toMatchObject({
      outcome: 'cancelled',
      error: { message: 'The call of change was denied, and the turn with it.' },
    })
    expect(err.match(/asks to run/g)).toHaveLength(1)
  })

  test('Ctrl-C at a question cancels the turn', async () => {
    const { code, err } = await cli(workspace(answers), argv, { ...terminal, answer: { when: /to navigate/, say: KEYS.ctrlC } })
    expect([code, ran()]).toEqual([130, 0])
    expect(err).toContain('Cancelling; nothing is running.')
  })

  test('Ctrl-D is no answer: the call is denied, and the turn goes on', async () => {
    const { code, out } = await cli(workspace(answers), argv, { ...terminal, answer: { when: /to navigate/, say: KEYS.ctrlD } })
    expect([code, ran(), out]).toEqual([0, 0, expect.stringContaining('Done.')])
  })
})

describe('an interrupt', () => {
  test('cancels the turn, says what is still stopping, and closes what was called', async () => {
    const root = workspace([[['slow'], ['read', { path: 'a.txt' }]], 'Never.'])
    const rules = JSON.stringify([{ tool: 'slow', decide: 'allow', reason: 'r' }])
    writeFileSync(join(root, 'rules.json'), rules)
    let interrupt = () => undefined as void
    process.once('dsh-test-started' as never, () => interrupt())
    const { code, err, out } = await cli(root, ['--use', 'slow.mjs', 'run', 'x', ...MODEL, '--rules', 'rules.json', '--session', 's'], {
      onStart: (start) => {
        interrupt = start
      },
    })
    expect([code, out]).toEqual([130, ''])
    expect(err).toContain('Cancelling; still stopping: slow. Ctrl-C again ends at once.')
    const replayed = await cli(root, ['replay', 's'])
    expect(replayed.out).toMatch(/✗ slow ABORTED|✓ slow/)
    expect(replayed.out).toMatch(/✗ read ABORTED_BEFORE_DISPATCH/)
    expect((await cli(root, ['sessions', '--json'])).json()[0]).toMatchObject({ open: 0 })
  })
})

describe('--resume', () => {
  const ONCE = `import { existsSync, writeFileSync } from 'node:fs'
export default { name: 'once', inject: ['tools'], apply(host) {
  host.tools.register({ name: 'once', description: 'Hangs once.', effects: 'none', parameters: { type: 'object' },
    output: { schema: {}, render: (args, value) => [{ type: 'text', text: value }] },
    execute: async () => {
      if (existsSync('marker')) return 'again'
      writeFileSync('marker', '')
      process.stderr.write('STARTED\\n')
      await new Promise(() => {})
    } })
} }`
  const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))

  test('takes up the turn of a process that was killed, in the newest session or a named one, to its end', async () => {
    const root = workspace([[['once'], ['read', { path: 'a.txt' }]], 'There are two lines.'], { 'once.mjs': ONCE })
    const child = spawn(process.execPath, [MAIN, '--use', 'once.mjs', 'run', 'x', ...MODEL, '--session', 's'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let text = ''
    child.stderr.on('data', (chunk) => {
      text += chunk
    })
    while (!text.includes('STARTED')) await once(child.stderr, 'data')
    child.kill('SIGKILL')
    await once(child, 'close')
    const resumed = await promisify(execFile)(process.execPath, [MAIN, '--use', 'once.mjs', 'run', '--resume', ...MODEL], { cwd: root })
    expect(resumed.stdout).toBe('There are two lines.\n')
    expect(resumed.stderr).toMatch(/✓ once again/)
    expect(resumed.stderr).toMatch(/✓ read a\.txt · lines 1-2 of 2/)
    const again = await cli(root, ['run', '--resume', 's', ...MODEL])
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('Nothing was left to take up in session s.')])
  })

  test('says when there is nothing to take up', async () => {
    const { code, err } = await cli(workspace(['x']), ['run', '--resume', ...MODEL])
    expect([code, err]).toEqual([2, expect.stringContaining('--resume: there is no session in this folder yet.')])
    const both = await cli(workspace(['x']), ['run', '--resume', 's', '--session', 's', ...MODEL])
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('leave --session out')])
    const none = await cli(workspace(['x']), ['run', ...MODEL])
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('There is nothing to do: dsh run "PROMPT"')])
  })
})

describe('dsh alone', () => {
  test('plays a recorded turn on a checkout of dsh, whose calls run for real', async () => {
    const { code, out, err } = await cli(REPOSITORY, [])
    expect(code).toBe(0)
    expect(err).toMatch(/A recorded model works on .*; its tool calls are run for real\./)
    expect(err).toMatch(/✓ read README\.md · lines 1-20 of \d+/)
    expect(err).toMatch(/✓ grep approve.* · \d+ matches in \d+ files/)
    expect(err).toMatch(/✓ edit \.dsh\/demo\/notes\.md · \+2 -1/)
    expect(err).toMatch(/✗ edit DENIED README\.md/)
    expect(err).toMatch(/✗ oracle TOOL_TIMEOUT/)
    expect(err).toMatch(/5 steps, 9 calls \(2 failed\)/)
    const id = /Session (demo-\S+) is kept/.exec(err)?.[1] as string
    expect(out).toMatch(/^What happens to a call is decided on one page/)
    expect(readFileSync(join(REPOSITORY, '.dsh', 'demo', 'notes.md'), 'utf8')).toContain('approvals are asked for in')
    expect((await cli(REPOSITORY, ['sessions', 'delete', id])).code).toBe(0)
  })

  test('elsewhere prints the help', async () => {
    const { code, out } = await cli(folder(), [])
    expect([code, out]).toEqual([0, expect.stringMatching(/^Usage: dsh/)])
  })
})
