// Runs batches on a session until it is killed with SIGKILL, or to the end. It keeps, outside the store, what its bodies did, which events it tried to
// write, and which were acknowledged. argv: FOLDER PLAN (JSON: { seed, killAt?, killAfterMs? })
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { approvalLog, openSession, resumeCalls } from '@dsh/agent'
import { openSqliteStore } from '@dsh/agent/sqlite'
import { createRuntime, ToolError } from '@dsh/tools'
import { retryPolicy } from '@dsh/tools/policies/retry'

const folder = process.argv[2]
const { seed, killAt, killAfterMs } = JSON.parse(process.argv[3])
const random = mulberry32(seed)
const below = (limit) => Math.floor(random() * limit)
const signal = new AbortController().signal

/** A line in a file beside the store: on its way to the disk before anything else happens. */
const note = (file, line) => appendFileSync(join(folder, file), `${JSON.stringify(line)}\n`)

let points = 0
/** A place where the process may be killed. */
function point() {
  points++
  if (points === killAt) process.kill(process.pid, 'SIGKILL')
}

if (killAfterMs !== undefined) {
  // From a thread of its own it hits the process anywhere, also in the middle of a write.
  new Worker(`const end = performance.now() + ${killAfterMs}; while (performance.now() < end); process.kill(process.pid, 'SIGKILL')`, {
    eval: true,
  })
}

const store = watched(await openSqliteStore({ folder }))
point()
const session = await openSession(store, 's', { create: true })
point()
const agent = { id: 'crash', session }
const runtime = createRuntime()
runtime.child(agent)
runtime.provide('approval', approvalLog(session, { request: answer }))
runtime.on('tools/pre-execute', async (exec, next) => (exec.arguments.ask ? { kind: 'ask', reason: 'a rule' } : next()))
await runtime.plugin(retryPolicy, { baseDelayMs: 1, maxDelayMs: 2 })
for (const effects of ['unknown', 'idempotent', 'none']) runtime.tools.register(toolOf(effects))

await resumeCalls(session, { tools: runtime.tools, agent, signal })
point()
for (let batch = 0; batch < 3; batch++) {
  const calls = Array.from({ length: 2 + below(6) }, toCall)
  await runtime.tools.execute({ calls, signal, agent, log: { turn: session.lastTurn + 1, step: 1 } })
  note('acknowledged', { upTo: session.events.length })
  point()
}
await session.close()
await store.close()
console.log(JSON.stringify({ points }))

function toCall() {
  const effects = ['unknown', 'idempotent', 'none'][below(3)]
  const args = {
    steps: below(5),
    parallel: random() < 0.6,
    ask: random() < 0.4,
    fail: random() < 0.15,
    flaky: random() < 0.2,
    note: random() < 0.2,
  }
  return { type: 'tool-call', name: `do_${effects}`, arguments: JSON.stringify(args) }
}

function toolOf(effects) {
  return {
    name: `do_${effects}`,
    description: `Work with effects: ${effects}.`,
    parameters: { type: 'object' },
    output: { schema: {}, render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
    effects,
    isConcurrencySafe: (args) => args.parallel,
    presentCall: (args) => ({ card: 'generic', title: `${args.steps} steps` }),
    async execute(args, exec) {
      const did = { name: exec.name, effects, call: exec.callSeq, callId: exec.callId, key: exec.idempotencyKey }
      point()
      note('effects', { ...did, phase: 'begin' })
      if (args.note) exec.deferContext({ source: { kind: 'plugin', name: 'crash' }, content: [{ type: 'text', text: 'a note' }] })
      for (let step = 0; step < args.steps; step++) {
        await new Promise((resolve) => setImmediate(resolve))
        point()
      }
      if (args.flaky && random() < 0.5) throw new ToolError('again', { code: 'BUSY', retryable: true })
      if (args.fail) throw new Error('it failed')
      note('effects', { ...did, phase: 'end' })
      point()
      return args.steps
    },
  }
}

async function answer({ exec }) {
  note('asked', { key: exec.idempotencyKey })
  point()
  await new Promise((resolve) => setImmediate(resolve))
  point()
  return { outcome: random() < 0.7 ? 'allowed-once' : 'rejected' }
}

/** The store, with a note before and after each append. */
function watched(inner) {
  const outer = {}
  for (const method of ['create', 'list', 'find', 'read', 'append', 'acquire', 'release', 'delete', 'close'])
    outer[method] = (...args) => inner[method](...args)
  outer.append = async (id, batch) => {
    for (const event of batch.events) note('attempted', event)
    point()
    await inner.append(id, batch)
    note('acknowledged', { upTo: batch.expected + batch.events.length })
    point()
  }
  return outer
}

function mulberry32(start) {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
