// Runs batches on a session, or a turn of an agent, until it is killed with SIGKILL, or to the end. It keeps, outside the store, what its bodies did, which events it tried to
// write, which were acknowledged, and which results it was told.
// argv: FOLDER PLAN (JSON: { seed, batches?, turn?, killAt?, killAfterMs?, killWaiting? }, see Plan in ../crash-run.ts)
import { appendFileSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createAgent, createApprovalQueue, openSession, recordedModel, resumeCalls } from '@dsh/agent'
import { openSqliteStore } from '@dsh/agent/sqlite'
import { createRuntime, ToolError } from '@dsh/tools'
import { retryPolicy } from '@dsh/tools/policies/retry'
import Database from 'libsql'

const folder = process.argv[2]
const { seed, batches = 3, turn = false, killAt, killAfterMs, killWaiting } = JSON.parse(process.argv[3])
const random = mulberry32(seed)
const below = (limit) => Math.floor(random() * limit)
const signal = new AbortController().signal
const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve))

/** A line in a file beside the store: out of this process before anything else happens. */
const note = (file, line) => appendFileSync(join(folder, file), `${JSON.stringify(line)}\n`)

const effectsFile = openSync(join(folder, 'effects'), 'a')
/** What a body does to the world, on the disk before anything else happens. */
function affect(line) {
  writeSync(effectsFile, `${JSON.stringify(line)}\n`)
  fsyncSync(effectsFile)
}

let waiting = 0
let points = 0
/** A place where the process may be killed. */
function point() {
  points++
  if (points === killAt) process.kill(process.pid, 'SIGKILL')
}

const phases = {}
/** What it does from here on. */
function begin(phase) {
  phases[phase] = points
  note('phases', phase)
}

const started = performance.now()
if (killAfterMs !== undefined) {
  // From a thread of its own it hits the process anywhere, also in the middle of a write. The work begins when that thread runs.
  const source = `require('node:worker_threads').parentPort.postMessage('up')
    const end = performance.now() + ${killAfterMs}
    while (performance.now() < end);
    process.kill(process.pid, 'SIGKILL')`
  const killer = new Worker(source, { eval: true })
  await new Promise((resolve) => killer.once('message', resolve))
}

// Each statement is such a place: between those of one transaction, too.
const statements = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'))
killable(Database.prototype, 'exec')
for (const method of ['run', 'all']) killable(statements, method)

begin('open')
const store = watched(await openSqliteStore({ folder }))
point()
const session = await openSession(store, 's', { create: true })
session.assertWritable() // also when the process that wrote it was killed this instant
for (const { callId } of session.repaired) told(callId, { isError: true })
point()
const runtime = createRuntime()
const agent = turn
  ? createAgent({ runtime, session, model: listening(recordedModel(join(folder, 'answers.jsonl'))) })
  : { id: 'crash', session }
if (!turn) runtime.child(agent)
const approvals = createApprovalQueue()
approvals.attach({ name: 'crash', ask: answer })
runtime.provide('approval', approvals)
runtime.on('tools/pre-execute', async (exec, next) => (exec.arguments.ask ? { kind: 'ask', reason: 'a rule' } : next()))
await runtime.plugin(retryPolicy, { baseDelayMs: 1, maxDelayMs: 2 })
for (const effects of ['unknown', 'idempotent', 'none']) runtime.tools.register(toolOf(effects))

begin('resume')
let ended
if (turn) ended = await agent.resume()
else for (const { callId, result } of await resumeCalls(session, { tools: runtime.tools, agent, signal })) told(callId, result)
point()
begin('work')
if (killWaiting !== undefined) await runBatch(unfinished())
if (!turn) for (let batch = 0; batch < batches; batch++) await runBatch(Array.from({ length: 2 + below(6) }, randomCall))
else if (session.lastTurn === 0) ended = await agent.run('Go on until it is done.')
begin('close')
await session.close()
await store.close()
begin('end')
console.log(JSON.stringify({ points, phases, ended, ms: performance.now() - started }))

async function runBatch(calls) {
  const { results } = await runtime.tools.execute({ calls, signal, agent, log: { turn: session.lastTurn + 1, step: 1 } })
  for (const { callId, result } of results) told(callId, result)
  point()
}

/** The model, with a place to be killed around each piece of its answer. It is told the results of its calls. */
function listening(model) {
  return {
    async *stream(request, ...rest) {
      for (const { results = [] } of request.messages) for (const { callId, isError } of results) told(callId, { isError })
      for await (const event of model.stream(request, ...rest)) {
        point()
        yield event
      }
      point()
    },
  }
}

/** Whoever made a call knows its result: a crash may not take it back. */
function told(callId, { isError }) {
  note('told', { callId, isError })
}

function toCall(effects, args) {
  return { type: 'tool-call', name: `do_${effects}`, arguments: JSON.stringify({ steps: 0, parallel: true, ...args }) }
}

function randomCall() {
  return toCall(['unknown', 'idempotent', 'none'][below(3)], {
    steps: below(5),
    parallel: random() < 0.6,
    ask: random() < 0.4,
    fail: random() < 0.15,
    flaky: random() < 0.2,
    note: random() < 0.2,
  })
}

/** One call for each state that a crash may leave, none of which ends by itself. */
function unfinished() {
  return [
    toCall('unknown', { waits: true }),
    toCall('idempotent', { waits: true, ask: true, yes: true }),
    toCall('none', { waits: true, ask: true, yes: true, note: true }),
    toCall('idempotent', { waits: true, steps: 2 }),
    toCall('unknown', { ask: true, nobody: true }),
    toCall('none', { ask: true, nobody: true }),
  ]
}

/** Wait for the kill, when there is one for those who wait. */
async function wait() {
  if (killWaiting === undefined) return
  waiting++
  if (waiting === killWaiting) {
    await session.flush()
    process.kill(process.pid, 'SIGKILL')
  }
  await new Promise(() => {})
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
      const attempt = crypto.randomUUID()
      const did = { name: exec.name, effects, call: exec.callSeq, callId: exec.callId, key: exec.idempotencyKey, attempt }
      point()
      affect({ ...did, phase: 'begin' })
      point()
      if (args.note) exec.deferContext({ source: { kind: 'plugin', name: 'crash' }, content: [{ type: 'text', text: 'a note' }] })
      if (args.waits) await wait()
      for (let step = 0; step < args.steps; step++) {
        await turnOfLoop()
        point()
      }
      if (args.flaky && random() < 0.5) throw new ToolError('again', { code: 'BUSY', retryable: true })
      if (args.fail) throw new Error('it failed')
      affect({ ...did, phase: 'end' })
      point()
      return args.steps
    },
  }
}

async function answer({ call, arguments: args }) {
  note('asked', { key: session.keyOf(call) })
  point()
  await turnOfLoop()
  if (args.nobody) await wait()
  point()
  return { outcome: args.yes || random() < 0.7 ? 'allowed-once' : 'rejected' }
}

/** The store, with a place to be killed before and after each step, and a note before and after each append. */
function watched(inner) {
  const outer = {}
  for (const method of ['create', 'list', 'find', 'read', 'acquire', 'release', 'delete', 'close']) {
    outer[method] = async (...args) => {
      point()
      const answered = await inner[method](...args)
      point()
      return answered
    }
  }
  outer.append = async (id, batch) => {
    for (const event of batch.events) note('attempted', event)
    point()
    await inner.append(id, batch)
    for (const event of batch.events) note('acknowledged', event)
    point()
  }
  return outer
}

function killable(prototype, method) {
  const original = prototype[method]
  prototype[method] = function (...args) {
    point()
    return original.apply(this, args)
  }
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
