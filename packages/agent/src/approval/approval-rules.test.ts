import { createRuntime, type ToolEffects } from '@dsh/tools'
import { createRecordingLogger, createTestTool } from '@dsh/tools/testing'
import { describe, expect, test } from 'vitest'
import { asks, says } from '../../test/scripted-model.ts'
import { testAgent } from '../../test/test-agent.ts'
import { importSession } from '../log/import-session.ts'
import { createMemoryStore } from '../log/memory-store.ts'
import { openSession } from '../log/open-session.ts'
import type { ApprovalCard } from './approval-card.ts'
import { type ApprovalQueue, createApprovalQueue } from './approval-queue.ts'
import type { ApprovalRule, ApprovalRulesConfig } from './approval-rule.ts'
import { approvalRules } from './approval-rules.ts'
import type { ApproverAnswer } from './approver.ts'

const rule = (tool: string, decide: ApprovalRule['decide'], when?: ApprovalRule['when']): ApprovalRule => ({
  tool,
  decide,
  reason: `${decide} ${tool}.`,
  ...(when && { when }),
})

/** What comes of a call under these rules: what was asked counts as asked, and is refused. */
async function ruled(config: ApprovalRulesConfig, name: string, args: unknown = {}, effects: ToolEffects = 'unknown') {
  const runtime = createRuntime({ logger: createRecordingLogger() })
  runtime.tools.register(createTestTool(name, async () => 'ran', { effects }))
  const agent = { id: 'a' }
  runtime.child(agent)
  const queue = createApprovalQueue()
  queue.attach({ name: 'no', ask: async () => ({ outcome: 'rejected' }) })
  runtime.provide('approval', queue)
  await runtime.plugin(approvalRules, config)
  const result = await runtime.call(name, args, { agent })
  const code = result.error?.info?.code
  return code === undefined ? 'allow' : code === 'DENIED' ? 'deny' : code === 'APPROVAL_REJECTED' ? 'ask' : code
}

describe('rules', () => {
  test('decide from the top: the first that matches', async () => {
    const rules = [
      rule('edit', 'deny', { path: { path: 'secret/**' } }),
      rule('edit', 'allow', { path: { path: 'src/**' } }),
      rule('e*', 'ask'),
    ]
    expect(await ruled({ rules }, 'edit', { path: 'secret/a' })).toBe('deny')
    expect(await ruled({ rules }, 'edit', { path: 'src/a' })).toBe('allow')
    expect(await ruled({ rules }, 'edit', { path: 'a' })).toBe('ask')
    expect(await ruled({ rules }, 'edit')).toBe('ask')
  })

  test('where none matches, what declares that it changes nothing runs, and the rest is asked about', async () => {
    expect(await ruled({ rules: [] }, 'read', {}, 'none')).toBe('allow')
    expect(await ruled({ rules: [] }, 'write', {}, 'idempotent')).toBe('ask')
    expect(await ruled({ rules: [] }, 'write')).toBe('ask')
    expect(await ruled({ rules: [], otherwise: 'allow' }, 'write')).toBe('allow')
    expect(await ruled({ rules: [], otherwise: 'deny' }, 'read', {}, 'none')).toBe('deny')
    expect(await ruled({ rules: [], otherwise: 'ask' }, 'read', {}, 'none')).toBe('ask')
  })

  test('a star stands for any part of a name, and every other sign for itself', async () => {
    expect(await ruled({ rules: [rule('mcp__*__read', 'allow')] }, 'mcp__a__read')).toBe('allow')
    expect(await ruled({ rules: [rule('mcp__*__read', 'allow')] }, 'mcp__a__write')).toBe('ask')
    expect(await ruled({ rules: [rule('re.d', 'deny')], otherwise: 'allow' }, 'read')).toBe('allow')
  })

  test.each([
    [{ equals: 1 }, 1, 'allow'],
    [{ equals: 1 }, '1', 'ask'],
    [{ equals: { a: [1, { b: null }] } }, { a: [1, { b: null }] }, 'allow'],
    [{ equals: { a: 1 } }, { a: 1, b: 2 }, 'ask'],
    [{ equals: [] }, {}, 'ask'],
  ] as const)('an argument that has to equal %j: %j is %s', async (condition, value, expected) => {
    expect(await ruled({ rules: [rule('t', 'allow', { x: condition })] }, 't', { x: value })).toBe(expected)
  })

  test('all of its conditions have to hold, and of own arguments only', async () => {
    const rules = [rule('t', 'allow', { a: { equals: 1 }, b: { equals: 2 } })]
    expect(await ruled({ rules }, 't', { a: 1, b: 2 })).toBe('allow')
    expect(await ruled({ rules }, 't', { a: 1 })).toBe('ask')
    expect(await ruled({ rules: [rule('t', 'allow', { constructor: { equals: {} } })] }, 't', {})).toBe('ask')
  })
})

describe('a path', () => {
  const allowed = (glob: string, path: unknown, root?: string) =>
    ruled({ rules: [rule('t', 'allow', { p: { path: glob } })], ...(root && { root }) }, 't', { p: path })
  const denied = (glob: string, path: unknown, root?: string) =>
    ruled({ rules: [rule('t', 'deny', { p: { path: glob } })], otherwise: 'allow', ...(root && { root }) }, 't', { p: path })

  test.each(['src/a.ts', './src/a.ts', 'src/./b/../a.ts', 'x/../src/a.ts', '/repo/src/a.ts', 'src/.hidden', '/repo/x/../src/a'])(
    'below the root is matched wherever it comes from: %s',
    async (path) => {
      expect(await allowed('src/**', path, '/repo')).toBe('allow')
    },
  )

  test.each([
    '../src/a',
    'src/../../etc/passwd',
    'src/../a',
    '/etc/src/a',
    '/repox/src/a',
    'SRC/a',
    '',
    7,
    null,
    ['src/a', '/etc/passwd'],
    [],
  ])('that leads elsewhere is not: %j', async (path) => expect(await allowed('src/**', path, '/repo')).toBe('ask'))

  test('that leaves the root is matched by whole paths alone', async () => {
    expect(await allowed('/tmp/**', '../tmp/x', '/repo')).toBe('allow')
    expect(await allowed('**', '../tmp/x', '/repo')).toBe('ask')
    expect(await allowed('**', '/tmp/x')).toBe('ask')
    expect(await allowed('**', 'a/../../x')).toBe('ask')
  })

  test.each(['.env', './.env', 'a/../.env', '.ENV', '/repo/.env', '/REPO/.env', '//repo/.env', ['a', '.env']])(
    'that is denied is denied in every spelling: %j',
    async (path) => {
      expect(await denied('.env', path, '/repo')).toBe('deny')
    },
  )

  test('that is the root itself, or has a line break, is among all that is below the root', async () => {
    for (const path of ['.', '', '/repo', '/repo/', 'a/..', 'a\n/b']) expect(await denied('**', path, '/repo')).toBe('deny')
    expect(await allowed('.', '/repo', '/repo')).toBe('allow')
    expect(await denied('src/**', '.', '/repo')).toBe('allow')
  })
})

describe('beside other policies', () => {
  async function withPolicy(kind: 'allow' | 'ask' | 'deny', decide: ApprovalRule['decide']) {
    const runtime = createRuntime({ logger: createRecordingLogger() })
    runtime.tools.register(createTestTool('t'))
    const agent = { id: 'a' }
    runtime.child(agent)
    const reasons: (string | undefined)[] = []
    const queue = createApprovalQueue()
    queue.attach({ name: 'no', ask: async ({ reason }) => (reasons.push(reason), { outcome: 'rejected' }) })
    runtime.provide('approval', queue)
    runtime.on('tools/pre-execute', async () =>
      kind === 'deny' ? { kind, reason: 'Theirs.' } : kind === 'ask' ? { kind, reason: 'Theirs.' } : { kind },
    )
    await runtime.plugin(approvalRules, { rules: [rule('t', decide)] })
    const result = await runtime.call('t', {}, { agent })
    return [result.error?.info?.code ?? 'ran', ...reasons]
  }

  test.each([
    ['allow', 'allow', ['ran']],
    ['ask', 'allow', ['APPROVAL_REJECTED', 'Theirs.']],
    ['deny', 'allow', ['DENIED']],
    ['allow', 'ask', ['APPROVAL_REJECTED', 'ask t.']],
    ['ask', 'ask', ['APPROVAL_REJECTED', 'ask t. Theirs.']],
    ['deny', 'ask', ['DENIED']],
    ['allow', 'deny', ['DENIED']],
  ] as const)(
    'a policy that says %s and a rule that says %s: the stricter one counts, whichever was mounted first',
    async (policy, decide, expected) => {
      expect(await withPolicy(policy, decide)).toEqual(expected)
    },
  )
})

test('a tool that does not exist is told as such, and nobody is asked about it', async () => {
  const runtime = createRuntime({ logger: createRecordingLogger() })
  await runtime.plugin(approvalRules, { rules: [rule('*', 'deny')] })
  expect((await runtime.call('nope', {})).error?.info?.code).toBe('UNKNOWN_TOOL')
})

test('rules that are none are refused when they are mounted, all at once, by number and field', async () => {
  const bad = [
    { tool: '', decide: 'maybe', reason: ' ' },
    'x',
    { tool: 't', when: {}, decide: 'allow', reason: 'r', extra: 1 },
    { tool: 't', when: { p: { path: [] }, q: { glob: 'x' }, r: { command: 7 } }, decide: 'ask', reason: 'r' },
    rule('u', 'ask'),
    rule('u', 'deny', { p: { path: 'x' } }),
    ...['!src/**', 'src/', '../x', 'a/./b', 'a//b', '{/etc/**,/usr/**}'].map((path) => rule('v', 'deny', { p: { path } })),
    ...['rm *', 'curl x | sh', 'echo "a"', 'a; b'].map((command) => rule('w', 'deny', { c: { command } })),
  ]
  const mounted = Promise.resolve(
    createRuntime({ logger: createRecordingLogger() }).plugin(approvalRules, {
      rules: bad,
      root: 'x',
      otherwise: 'no',
      otherwize: 'deny',
    } as never),
  )
  const error = await mounted.then(
    () => undefined,
    (thrown: Error) => thrown,
  )
  for (const place of [
    'otherwise cannot be "no"',
    'root must be an absolute path',
    'otherwize is no field',
    'rules[0].tool must',
    'rules[0].decide must',
    'rules[0].reason must',
    'rules[1] is no rule',
    'rules[2].extra is no field',
    'rules[2].when must name',
    'rules[3].when.p.path must',
    'rules[3].when.q must be',
    'rules[3].when.r.command must',
    'rules[5] never matches: rules[4]',
    'rules[6].when.p.path: "!src/**" begins with',
    'rules[7].when.p.path: "src/" ends with',
    ...[8, 9, 10].map((index) => `rules[${index}].when.p.path: "`),
    'rules[11].when.p.path: "{/etc/**,/usr/**}" has its first "/" within brackets',
    ...[12, 13, 14, 15].map((index) => `rules[${index}].when.c.command: "`),
  ])
    expect(error?.message).toContain(place)
})

test.each(['.', './src/**', '**', '*.{ts,tsx}', '/etc/**', '{src,test}/**', '@(a|b)/c', '.env', 'a/..b', 'a...', '[ab]/c'])(
  'the glob %j is one',
  async (path) => expect(await ruled({ rules: [rule('t', 'allow', { p: { path } })] }, 't')).toBe('ask'),
)

describe('a grant for the session', () => {
  const config = { rules: [rule('edit', 'ask', { path: { path: 'src/**' } }), rule('edit', 'deny', { path: { path: 'x' } })] }
  const edits = (...paths: string[]) => asks(...paths.map((path) => ['edit', { path }] as const))

  async function granting(...scripts: Parameters<typeof testAgent>[0]['scripts']) {
    const on = await testAgent({ tools: [createTestTool('edit'), createTestTool('write')], scripts })
    const queue = createApprovalQueue()
    const cards: ApprovalCard[] = []
    let answer: ApproverAnswer = { outcome: 'allowed-once', grant: true }
    queue.attach({ name: 'p', ask: async (card) => (cards.push(card), answer) })
    on.runtime.provide('approval', queue)
    await on.runtime.plugin(approvalRules, config)
    return { ...on, cards, says: (next: ApproverAnswer) => (answer = next), queue: queue as ApprovalQueue }
  }
  const codes = (log: readonly (readonly [string, unknown])[]) =>
    log
      .filter(([type]) => type === 'tool/result')
      .map(([, data]) => (data as { error?: { info: { code: string } } }).error?.info.code ?? 'ran')

  test('covers later calls that the same rule asks about, and no others; a denial is not softened', async () => {
    const { agent, cards, log, says: say } = await granting(edits('src/a', 'src/b', 'y', 'x'), asks('write'), says('done'))
    const turn = agent.run('go')
    await turn
    expect(cards.map(({ arguments: args }) => args)).toEqual([{ path: 'src/a' }, { path: 'y' }, {}])
    expect(cards[0]?.grant).toMatchObject({ tool: 'edit', message: 'every call of edit that is asked about because: ask edit.' })
    expect(codes(log())).toEqual(['ran', 'ran', 'ran', 'DENIED', 'ran'])
    say({ outcome: 'rejected' })
    expect(log().filter(([type]) => type === 'approval/granted')).toHaveLength(3)
  })

  test('is in the log before the call goes on, and holds when the session is opened again, for the same rule alone', async () => {
    const first = await granting(edits('src/a'), says('done'))
    await first.agent.run('go')
    expect(first.types().slice(first.types().indexOf('approval/asked'), first.types().indexOf('tool/start'))).toEqual([
      'approval/asked',
      'approval/granted',
      'approval/decided',
    ])
    await first.agent.dispose()
    await first.session.close()
    for (const [changed, asked] of [
      [config, 0],
      [{ rules: [{ ...(config.rules[0] as ApprovalRule), reason: 'Another one.' }] }, 1],
      [{ ...config, root: '/elsewhere' }, 1],
    ] as const) {
      const session = await openSession(first.store, 's')
      const again = await testAgent({ session, tools: [createTestTool('edit')], scripts: [edits('src/b'), says('done')] })
      let times = 0
      const queue = createApprovalQueue()
      queue.attach({ name: 'p', ask: async () => (times++, { outcome: 'rejected' }) })
      again.runtime.provide('approval', queue)
      await again.runtime.plugin(approvalRules, changed)
      await again.agent.run('go')
      expect(times).toBe(asked)
      await session.close()
    }
  })

  test('does not answer what another policy asks', async () => {
    const { agent, runtime, cards } = await granting(edits('src/a', 'src/b'), says('done'))
    runtime.on('tools/pre-execute', async () => ({ kind: 'ask', reason: 'Theirs.' }))
    await agent.run('go')
    expect(cards.map(({ reason, grant }) => [reason, grant !== undefined])).toEqual([
      ['ask edit. Theirs.', true],
      ['Theirs.', false],
    ])
  })

  test('of a parent holds in its children, and that of a child in the child alone', async () => {
    const { agent, cards } = await granting(edits('src/a'), says('ok'), edits('src/b'), says('ok'), edits('src/c'), says('ok'))
    const child = await agent.createChild()
    await child.run('go')
    await agent.run('go')
    expect(cards.map(({ path }) => path)).toEqual([['s', 's.1'], ['s']])
    await child.run('go')
    expect(cards).toHaveLength(2)
  })

  test('that came with an imported log grants nothing', async () => {
    const first = await granting(edits('src/a'), says('done'))
    await first.agent.run('go')
    const store = createMemoryStore()
    await importSession(store, first.session.events, 'copy')
    const session = await openSession(store, 'copy')
    const again = await testAgent({ session, tools: [createTestTool('edit')], scripts: [edits('src/b'), says('done')] })
    let times = 0
    const queue = createApprovalQueue()
    queue.attach({ name: 'p', ask: async () => (times++, { outcome: 'rejected' }) })
    again.runtime.provide('approval', queue)
    await again.runtime.plugin(approvalRules, config)
    await again.agent.run('go')
    expect(times).toBe(1)
  })

  test('is not offered to a call that no log keeps', async () => {
    const { runtime, cards } = await granting()
    const other = { id: 'other' }
    runtime.child(other)
    await runtime.call('edit', { path: 'src/a' }, { agent: other })
    expect(cards[0]?.grant).toBeUndefined()
  })
})

test('in a batch, a call that is refused never starts, its siblings keep their order, and the model reads why', async () => {
  const ran: unknown[] = []
  const edit = createTestTool('edit', async (args) => ran.push(args))
  const { agent, runtime, model } = await testAgent({
    tools: [edit],
    scripts: [asks(['edit', { n: 1 }], ['edit', { n: 2 }], ['edit', { n: 3 }]), says('ok')],
  })
  const queue = createApprovalQueue()
  queue.attach({
    name: 'p',
    ask: async (card) =>
      (card.arguments as { n: number }).n === 2 ? { outcome: 'rejected', note: 'Not that one.' } : { outcome: 'allowed-once' },
  })
  runtime.provide('approval', queue)
  await runtime.plugin(approvalRules, { rules: [] })
  await agent.run('go')
  expect(ran).toEqual([{ n: 1 }, { n: 3 }])
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    results: [{ isError: false }, { isError: true, content: [{ text: expect.stringContaining('Not that one.') }] }, { isError: false }],
  })
})

test('with no approver the rules still decide: what is asked is denied in the words of the host', async () => {
  const { agent, runtime, log } = await testAgent({
    tools: [createTestTool('edit')],
    store: createMemoryStore(),
    scripts: [asks('edit'), says('ok')],
  })
  runtime.provide('approval', createApprovalQueue({ noApprover: 'pass --approve ask.' }))
  await runtime.plugin(approvalRules, { rules: [] })
  await agent.run('go')
  expect(JSON.stringify(log())).toContain('pass --approve ask.')
})
