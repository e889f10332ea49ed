import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { textWidth } from '../src/text/width.ts'
import { folder, KEYS } from './run-cli.ts'

// The built program on a real terminal: a pty that `script` of util-linux opens. Elsewhere a program of that name takes other options.
const onLinux = test.skipIf(process.platform !== 'linux')

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))

const EDIT = `export default { name: 'amend', inject: ['tools'], apply(host) {
  host.tools.register({ name: 'amend', description: 'Edits.', parameters: { type: 'object' }, output: { schema: {}, render: () => [{ type: 'text', text: '改好了' }] },
    presentCall: () => ({ card: 'diff', title: '文件/很长的名字/很长的名字/很长的名字.txt', diffs: [{ path: '文件.txt', oldText: '旧的内容', newText: '新的内容,比旧的长得多,所以要折行,折行,折行,折行' }] }),
    execute: async () => null })
  host.tools.register({ name: 'slow', description: 'Waits.', effects: 'none', parameters: { type: 'object' }, output: { schema: {}, render: () => [{ type: 'text', text: 'x' }] },
    execute: (args, exec) => new Promise((resolve) => { exec.signal.addEventListener('abort', () => setTimeout(() => resolve(null), 300)) }) })
  const quick = { parameters: { type: 'object' }, effects: 'none', output: { schema: {}, render: () => [{ type: 'text', text: 'done' }] } }
  host.tools.register({ ...quick, name: 'stuck', description: 'Never ends.', execute: () => new Promise(() => setInterval(() => {}, 1_000)) })
  host.tools.register({ ...quick, name: 'delegate', description: 'Starts a child.', execute: async (args, exec) => {
    await exec.agent.scope.get('agents').start({ parent: exec.agent, prompt: [{ type: 'text', text: 'Look.' }], signal: exec.signal })
    return null
  } })
} }`

const call = (name: string) => ({ kind: 'tool-call', call: { type: 'tool-call', callId: name, name, arguments: '{}' } })
const line = (at: number, ...events: object[]) => JSON.stringify({ v: 1, at, events: [...events, { kind: 'finish', reason: 'stop' }] })
const words = (text: string) => ({ kind: 'text', text })

const ESC = '\u001b'

interface Key {
  /** Pressed when this is on the screen. */
  readonly when: RegExp
  readonly key: string
}

/** Run on a terminal so wide. @returns everything that was written to it, and the exit code. */
async function onTerminal(root: string, { columns, env = {}, keys = [] }: { columns: number; env?: Record<string, string>; keys?: Key[] }) {
  const command = `stty cols ${columns} rows 40; exec ${process.execPath} ${MAIN} --use amend.mjs run '做吧' --model recorded:answers.jsonl`
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: root,
    env: { ...process.env, CI: '', TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  const left = [...keys]
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
    while (left[0]?.when.test(text)) child.stdin.write((left.shift() as Key).key)
  })
  const [code] = await once(child, 'close')
  return { text, code, screen: screenOf(text) }
}

/** The lines that stay on a terminal which only clears its last one. */
function screenOf(text: string): string[] {
  const cleared = new RegExp(`[^\\n]*\\r${ESC}\\[K`, 'g')
  const sequences = new RegExp(`${ESC}\\[[\\d;?]*[A-Za-z]`, 'g')
  return text.replaceAll(cleared, '').replaceAll(sequences, '').split(/\r?\n/)
}

const answers = [line(0, words('我来看看。'), call('amend')), line(1, words('好了:文件已经改好了。'))].join('\n')
const allow: Key[] = [
  { when: /to navigate/, key: KEYS.up },
  { when: /● Allow amend for this session|●.{0,9} Allow amend/, key: KEYS.enter },
]

test.each([40, 80])(
  'on %i columns every line of a call fits, the question stands there, and the status line is gone at the end',
  async (columns) => {
    const { screen, code } = await onTerminal(folder({ 'amend.mjs': EDIT, 'answers.jsonl': answers }), {
      columns,
      keys: allow,
      env: { NO_COLOR: '1' },
    })
    expect(code).toBe(0)
    const result = screen.find((each) => each.startsWith('✓ amend'))
    expect(textWidth(result ?? '')).toBeLessThanOrEqual(columns)
    expect(textWidth(result ?? '')).toBeGreaterThan(columns / 2)
    expect(screen).toContain('我来看看。')
    expect(screen).toContain('好了:文件已经改好了。')
    expect(screen.join('\n')).toMatch(/\? amend asks to run/)
    expect(screen.join('\n')).not.toMatch(/running:|asking the model|waiting$/m)
  },
)

onLinux('what is typed before the question stands there allows nothing', async () => {
  const keys = [
    { when: /我来看看/, key: 'kk\r' },
    { when: /to navigate/, key: KEYS.enter },
  ]
  const { screen } = await onTerminal(folder({ 'amend.mjs': EDIT, 'answers.jsonl': answers }), {
    columns: 80,
    keys,
    env: { NO_COLOR: '1' },
  })
  expect(screen.join('\n')).toMatch(/✗ amend APPROVAL_REJECTED/)
})

onLinux('NO_COLOR leaves the colours out, and without it they are there', async () => {
  const files = { 'amend.mjs': EDIT, 'answers.jsonl': line(0, words('好。')) }
  const colour = new RegExp(`${ESC}\\[(1|2|3\\d)m`)
  expect((await onTerminal(folder(files), { columns: 80 })).text).toMatch(colour)
  expect((await onTerminal(folder(files), { columns: 80, env: { NO_COLOR: '1' } })).text.replaceAll('\u001b[K', '')).not.toMatch(colour)
})

onLinux('Ctrl-C cancels, says what is still stopping, and waits for it', async () => {
  const { screen, code } = await onTerminal(folder({ 'amend.mjs': EDIT, 'answers.jsonl': line(0, call('slow')) }), {
    columns: 80,
    keys: [{ when: /running: slow/, key: KEYS.ctrlC }],
  })
  const all = screen.join('\n')
  expect(all).toContain('Cancelling; still stopping: slow.')
  expect(all).toMatch(/Cancelling[\s\S]*✗ slow ABORTED/)
  expect(code).toBe(130)
})

onLinux('Ctrl-C twice ends at once, though a body never stops, and leaves no status line', async () => {
  const { text, screen, code } = await onTerminal(folder({ 'amend.mjs': EDIT, 'answers.jsonl': line(0, call('stuck')) }), {
    columns: 80,
    keys: [
      { when: /running: stuck/, key: KEYS.ctrlC },
      { when: /still stopping: stuck/, key: KEYS.ctrlC },
    ],
  })
  expect(code).toBe(130)
  expect(screen.join('\n')).toContain('Cancelling; still stopping: stuck.')
  expect(screen.join('\n')).not.toContain('running: stuck')
  expect(text.slice(text.lastIndexOf('running: stuck'))).toContain(`\r${ESC}[K`)
})

onLinux('the calls of a child agent are indented below the call that started it', async () => {
  const about = (what: string, answer: string) => JSON.stringify({ ...JSON.parse(answer), about: what })
  const recording = [
    about('做吧', line(0, call('delegate'))),
    about('Look.', line(0, { kind: 'tool-call', call: { ...call('read').call, arguments: '{"path":"a.txt"}' } })),
    about('Look.', line(1, words('Seen.'))),
    about('做吧', line(1, words('好。'))),
  ].join('\n')
  const { screen, code } = await onTerminal(folder({ 'amend.mjs': EDIT, 'a.txt': 'a\n', 'answers.jsonl': recording }), {
    columns: 80,
    env: { NO_COLOR: '1' },
  })
  expect(code).toBe(0)
  const calls = screen.filter((each) => /^ *[✓✗]/.test(each)).map((each) => each.replace(/ · \d+ ms$/, ''))
  expect(calls).toEqual(['  ✓ read a.txt · lines 1-1 of 1', '✓ delegate done'])
})
