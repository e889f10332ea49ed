import {
  type Agent,
  createRuntime,
  type PostToolDecision,
  type PreToolDecision,
  type Scope,
  type ToolBatchResult,
  type ToolCallBlock,
  type ToolDefinition,
  ToolError,
  type ToolExecutionResult,
} from '../src/index.ts'
import { createLatch } from '../src/testing/door.ts'
import { call, rawTool, settleMicrotasks } from './fixtures.ts'

/** Numbers that can be had again from their seed (mulberry32). */
export function randomOf(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    below: (limit: number) => Math.floor(next() * limit),
    chance: (share: number) => next() < share,
    pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T,
  }
}

type Random = ReturnType<typeof randomOf>

/** What one batch of chaos came to. */
export interface ChaosReport {
  readonly calls: readonly ToolCallBlock[]
  readonly batch: ToolBatchResult
  /** Bodies that were still running when the batch settled. */
  readonly runningAtEnd: number
  /** Listeners left on the caller's signal. */
  readonly listenersLeft: number
  /** How often each call was announced. */
  readonly announced: readonly number[]
  /** What has to be garbage once the batch is over: its scopes' keys and its caller's signal. */
  readonly leftovers: readonly WeakRef<object>[]
}

/** The runtime that every batch of a run goes through, each in scopes of its own: it must be as good as new after each. */
export function createChaosRuntime(): Scope {
  return createRuntime({ logger: { debug() {}, info() {}, warn() {}, error() {} } })
}

/** Run one random batch: everything about it follows from the seed. */
export async function runChaos(root: Scope, seed: number): Promise<ChaosReport> {
  const random = randomOf(seed)
  const key = { seed }
  const runtime = root.child(key)
  const agent: Agent = { id: 'chaos' }
  const maxParallelToolCalls = 1 + random.below(5)
  const child = runtime.child(agent)
  const bodies = { running: 0 }
  registerTools(runtime, child, random, bodies)
  for (let n = random.below(4); n > 0; n--) addPolicy(random.chance(0.5) ? runtime : child, random)
  if (random.chance(0.7)) runtime.provide('approval', { request: async () => (await settleMicrotasks(), random.pick(ANSWERS)) })
  const controller = new AbortController()
  const listeners = countListeners(controller.signal)
  const calls = Array.from({ length: random.below(12) }, (_, n) =>
    call(random.pick(TOOLS), random.pick(ARGUMENTS), random.chance(0.2) ? 'same' : `id${n}`),
  )
  const announced = calls.map(() => 0)
  let next = 0
  runtime.on('tools/result', () => {
    announced[next] = (announced[next] ?? 0) + 1
    next++
    return undefined
  })
  const settled = createLatch()
  const caller = abortLater(controller, random, settled.opened)
  const batch = await runtime.tools.execute({ calls, signal: controller.signal, agent, maxParallelToolCalls })
  const runningAtEnd = bodies.running
  settled.open()
  await caller
  if (random.chance(0.3)) child.dispose()
  runtime.dispose()
  const leftovers = [key, agent, controller.signal].map((object) => new WeakRef<object>(object))
  return { calls, batch, runningAtEnd, listenersLeft: listeners(), announced, leftovers }
}

const TOOLS = ['quick', 'slow', 'waits', 'throws', 'hostile', 'late', 'not-json', 'twice', 'chatty', 'meddles', 'unknown_tool'] as const
const ARGUMENTS: readonly unknown[] = [{}, { n: 1 }, '{"n":', '', '[]', { deep: { list: [1, 2, 3] } }]
const ANSWERS = [
  { outcome: 'allowed-once' },
  { outcome: 'rejected', note: 'no' },
  { outcome: 'cancelled' },
  { outcome: 'unavailable' },
  { outcome: 'maybe' },
  undefined,
] as never[]

function registerTools(runtime: Scope, child: Scope, random: Random, bodies: { running: number }): void {
  const watched =
    (execute: ToolDefinition['execute']): ToolDefinition['execute'] =>
    async (args, exec) => {
      bodies.running++
      try {
        return await execute(args, exec)
      } finally {
        bodies.running--
      }
    }
  const turns = async (most: number) => {
    for (let n = random.below(most); n > 0; n--) await settleMicrotasks()
  }
  const add = (name: string, execute: ToolDefinition['execute']) =>
    runtime.tools.register(
      rawTool(name, watched(execute), {
        isConcurrencySafe: () => random.chance(0.6),
        effects: random.pick(['none', 'idempotent', 'unknown'] as const),
      }),
    )
  let disposeQuick = add('quick', async (args) => args)
  add('slow', async () => (await turns(6), 'slow'))
  add(
    'waits',
    (_args, exec) => new Promise((resolve) => (exec.signal.aborted ? resolve(1) : exec.signal.addEventListener('abort', () => resolve(1)))),
  )
  add('throws', async () => (await turns(3), Promise.reject(new ToolError('no', { code: 'NO', retryable: random.chance(0.5) }))))
  add('hostile', async () =>
    Promise.reject(
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('trap')
          },
        },
      ),
    ),
  )
  add('late', async (_args, exec) => {
    setImmediate(() => {
      exec.progress('late')
      exec.concludeTurn()
      exec.deferContext({ source: { kind: 'plugin', name: 'late' }, content: [] })
    })
    return 1
  })
  add('not-json', async () => random.pick<unknown>([undefined, 1n, new Date(), -0, { a: Symbol('s') }]))
  add('twice', (() => ({
    // biome-ignore lint/suspicious/noThenProperty: a thenable that breaks the rules
    then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => (resolve(1), resolve(2), reject(new Error('three'))),
  })) as never)
  add('chatty', async (_args, exec) => {
    for (let n = 0; n < 50; n++) exec.progress(n)
    exec.deferContext({ source: { kind: 'plugin', name: 'chatty' }, content: [{ type: 'text', text: 'x' }] })
    await turns(2)
    exec.concludeTurn()
    return null
  })
  add('meddles', async () => {
    const meddle = random.below(5)
    if (meddle === 0 && runtime.tools.get('quick')) runtime.tools.register(rawTool(`new${random.below(1e9)}`, async () => 1))
    if (meddle === 1) runtime.tools.guard(() => 'closed from now on')
    if (meddle === 2) runtime.on('tools/execute', async (_exec, next) => next())
    if (meddle === 3) child.dispose()
    if (meddle === 4 && runtime.tools.get('quick')) {
      disposeQuick()
      disposeQuick = add('quick', async () => 'another one')
    }
    return meddle
  })
}

function addPolicy(scope: Scope, random: Random): void {
  const odd = <T>(sound: () => Promise<T>): Promise<T> => {
    const misuse = random.below(12)
    if (misuse === 0) throw new Error('policy bug')
    if (misuse === 1) return Promise.reject(null)
    if (misuse === 2) return Promise.resolve(random.pick([undefined, null, {}, 'yes', { kind: 'maybe' }]) as T)
    return sound()
  }
  const kind = random.below(4)
  if (kind === 0) {
    scope.on('tools/pre-execute', (_exec, next) =>
      odd<PreToolDecision>(async () => {
        if (random.chance(0.1)) void next()
        if (random.chance(0.1)) await next()
        return random.chance(0.6)
          ? next()
          : random.pick<PreToolDecision>([{ kind: 'deny', reason: 'no' }, { kind: 'cancel' }, { kind: 'ask' }, { kind: 'allow' }])
      }),
    )
  } else if (kind === 1) {
    scope.on('tools/execute', (exec, next) =>
      odd<ToolExecutionResult>(async () => {
        if (random.chance(0.3)) exec.signal = random.chance(0.2) ? AbortSignal.abort('wrapper') : new AbortController().signal
        if (random.chance(0.1)) void next()
        const first = await next()
        if (random.chance(0.3)) return next()
        return random.chance(0.7)
          ? first
          : random.pick<ToolExecutionResult>([
              { isError: false, value: 'made up', content: [] },
              { isError: true, error: { message: 'made up' }, content: [] },
            ])
      }),
    )
  } else if (kind === 2) {
    scope.on('tools/post-execute', (_exec, _result, next) =>
      odd<PostToolDecision>(async () =>
        random.chance(0.6)
          ? next()
          : random.pick<PostToolDecision>([
              { kind: 'accept', value: 2 },
              { kind: 'accept', content: [{ type: 'text', text: 'shown' }] },
              { kind: 'block', feedback: [{ type: 'text', text: 'no' }] },
            ]),
      ),
    )
  } else {
    scope.tools.guard(() => {
      if (random.chance(0.1)) throw new Error('guard bug')
      return random.chance(0.2) ? 'guarded' : undefined
    })
  }
}

/** Abort at a random moment, and at the latest when nothing else can end the bodies that wait for it. */
async function abortLater(controller: AbortController, random: Random, settled: Promise<void>): Promise<void> {
  let over = false
  void settled.then(() => {
    over = true
  })
  for (let n = random.chance(0.2) ? 0 : random.below(60); n > 0 && !over; n--) await settleMicrotasks()
  controller.abort(random.pick([undefined, new Error('gone'), 'gone']))
}

function countListeners(signal: AbortSignal): () => number {
  const { addEventListener, removeEventListener } = signal
  let listeners = 0
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners++
    addEventListener.apply(signal, args)
  }
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners--
    removeEventListener.apply(signal, args)
  }
  return () => listeners
}
