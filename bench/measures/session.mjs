// The session log: what our store costs beside the driver it stands on, and how long a long session takes to open.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore, exportJsonLines, importSession, openSession } from '@dsh/agent'
import { openSqliteStore } from '@dsh/agent/sqlite'
import { createRuntime, defineTool } from '@dsh/tools'
import Libsql from 'libsql'
import { sessionEvents } from '../contestants/session-events.mjs'
import { DESCRIPTION, OUTPUT, PARAMETERS, SIGNAL } from '../contestants/trivial.mjs'

export const name = 'The session log'
export const target =
  'SQLite appends at no less than 0.6 of raw `libsql` inserts of the same rows in the same transactions; a session of 50,000 events opens in under 500 ms, gives its messages in under 200 ms, and takes at most 3 times its size in memory'
export const notes = [
  'Appends: a transaction of 1 and of 20 events on the disk, synced at each commit. Raw: the same table in a file of our store, its rows ready as text; ours makes the text, checks lease and',
  'number, and keeps the counts of the session. 0.6 of the throughput is 1.67 times the time. `as text`: raw, and the text is made inside; `and counted`: the row of the session is written, too.',
  'Opening: a process of its own, five times; memory is its peak resident size less that before, by the size of the session as JSON Lines.',
]

const EVENTS = 50_000

export async function run({ compare, median, ratio, verdict, timingTable, valueTable, options, isQuick }) {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-bench-session-'))
  try {
    const appends = await compare(
      { ...(await oursOf(folder)), ...(await rawOf(folder)) },
      { ...options, rounds: Math.min(options.rounds, 21) },
    )
    const batches = await compare(await batchesOf(folder), { ...options, rounds: Math.min(options.rounds, 15) })
    const opened = await openings(folder, isQuick ? 2 : 5)
    const middle = (key) => median(opened.map((each) => each[key]))
    return {
      verdicts: [
        verdict('an append of 1 event, of a raw insert', ratio(appends.ours1, appends.raw1), { atMost: 1 / 0.6 }),
        verdict('an append of 20 events, of raw inserts', ratio(appends.ours20, appends.raw20), { atMost: 1 / 0.6 }),
        verdict('opening 50,000 events', middle('openMs'), { atMost: 500, unit: 'ms' }),
        verdict('their messages', middle('deriveMs'), { atMost: 200, unit: 'ms' }),
        verdict('memory of opening, of the size of the log', middle('memory'), { atMost: 3 }),
      ],
      tables: [
        timingTable(
          appends,
          {
            ours1: 'dsh, 1 event',
            raw1: 'libsql, 1 row',
            text1: 'libsql, 1 row as text',
            counted1: 'libsql, 1 row as text and counted',
            ours20: 'dsh, 20 events',
            raw20: 'libsql, 20 rows',
            text20: 'libsql, 20 rows as text',
            counted20: 'libsql, 20 rows as text and counted',
          },
          'raw1',
          'A transaction',
        ),
        timingTable(
          batches,
          { none: 'without a log', memory: 'logged in memory', sqlite: 'logged in SQLite' },
          'none',
          'A call of a batch of 100 that may overlap, without effects',
        ),
        valueTable(
          `A session of ${opened[0].megabytes} MB as JSON Lines`,
          ['', 'median', 'least', 'most'],
          [
            row('opening, ms', opened, 'openMs', middle),
            row('its messages, ms', opened, 'deriveMs', middle),
            row('memory, of its size', opened, 'memory', middle),
            row('resident before, MB', opened, 'beforeMb', middle),
            row('resident at most, MB', opened, 'peakMb', middle),
            row('resident after, MB', opened, 'afterMb', middle),
          ],
        ),
      ],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function row(label, opened, key, middle) {
  const values = opened.map((each) => each[key])
  return [label, middle(key), Math.min(...values), Math.max(...values)]
}

const SAMPLE = sessionEvents('s', 40)

async function oursOf(folder) {
  const store = await openSqliteStore({ folder: join(folder, 'ours') })
  const appender = async (id, size) => {
    await store.create(id, 1)
    const { lease } = await store.acquire(id)
    let last = 0
    return () => {
      const events = Array.from({ length: size }, (_, n) => ({ ...SAMPLE[n], session: id, seq: last + n + 1 }))
      const appended = store.append(id, { lease, expected: last, events })
      last += size
      return appended
    }
  }
  return { ours1: await appender('one', 1), ours20: await appender('twenty', 20) }
}

/** What the driver takes for the same rows, in a file that our store made, and what each thing that ours does beside adds to that. */
async function rawOf(parent) {
  const folder = join(parent, 'raw')
  const store = await openSqliteStore({ folder })
  for (const id of ['1', '20']) await store.create(id, 1)
  await store.close()
  const db = new Libsql(join(folder, '.dsh', 'sessions.db'))
  db.exec('PRAGMA journal_mode = WAL')
  db.exec('PRAGMA synchronous = FULL')
  const insert = db.prepare('INSERT INTO events (place, time, type, data, card) VALUES (?, ?, ?, ?, ?)')
  const count = db.prepare('UPDATE sessions SET last = last + ?, updated = ?, calls = calls + ? WHERE id = ?')
  const PLACES = 2 ** 32 // the places of the first session, then those of the second, as our store numbers them
  const last = { 1: PLACES, 20: 2 * PLACES }
  const text = (value) => (value === undefined ? null : JSON.stringify(value))
  const split = SAMPLE.map(({ time, type, data: { view, ...data } }) => ({ time, type, data, view }))
  const rows = split.map(({ time, type, data, view }) => [time, type, text(data), text(view)])
  const inserter = (size, rowOf, isCounted) => async () => {
    db.exec('BEGIN IMMEDIATE')
    if (isCounted) count.run(size, SAMPLE[0].time, 1, String(size))
    for (let n = 0; n < size; n++) insert.run(++last[size], ...rowOf(n))
    db.exec('COMMIT')
  }
  const ready = (n) => rows[n]
  const made = (n) => [split[n].time, split[n].type, text(split[n].data), text(split[n].view)]
  return {
    raw1: inserter(1, ready),
    text1: inserter(1, made),
    counted1: inserter(1, made, true),
    raw20: inserter(20, ready),
    text20: inserter(20, made),
    counted20: inserter(20, made, true),
  }
}

async function batchesOf(folder) {
  const sqlite = await openSqliteStore({ folder: join(folder, 'batches') })
  const memory = createMemoryStore()
  return { none: batchOf(undefined), memory: batchOf(memory), sqlite: batchOf(sqlite) }
}

/** Batches of 100 in one sample, of a session of their own: a log that grew for all of them would cost more from sample to sample. */
const BATCHES = 10

function batchOf(store) {
  const runtime = createRuntime()
  runtime.tools.register(
    defineTool({
      name: 'add',
      description: DESCRIPTION,
      parameters: PARAMETERS,
      output: { schema: OUTPUT },
      effects: 'none',
      isConcurrencySafe: () => true,
      execute: async ({ n }) => n + 1,
    }),
  )
  const calls = Array.from({ length: 100 }, (_, n) => ({ type: 'tool-call', callId: `c${n}`, name: 'add', arguments: `{"n":${n}}` }))
  let sessions = 0
  const prepare = async () => {
    const id = `s${++sessions}`
    const agent = { id, ...(store && { session: await openSession(store, id, { create: true }) }) }
    runtime.child(agent)
    return agent
  }
  const run = async (agent) => {
    for (let turn = 1; turn <= BATCHES; turn++) {
      const { results } = await runtime.tools.execute({ calls, signal: SIGNAL, agent, ...(store && { log: { turn, step: 1 } }) })
      if (results[99].result.value !== 100) throw new Error('a result is missing')
    }
  }
  return { run, per: 100 * BATCHES, prepare }
}

/** A long session, opened in processes of its own. */
async function openings(parent, times) {
  const folder = join(parent, 'long')
  const events = sessionEvents('s', EVENTS)
  let size = 0
  for (const line of exportJsonLines(events)) size += Buffer.byteLength(line)
  const store = await openSqliteStore({ folder })
  await importSession(store, events)
  await store.close()
  const script = new URL('../contestants/open-session.mjs', import.meta.url).pathname
  return Array.from({ length: times }, () => {
    const { stdout, status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    const found = JSON.parse(stdout)
    if (found.events !== events.length) throw new Error(`${found.events} events`)
    const { before, peak, after } = found
    const [beforeMb, peakMb, afterMb] = [before, peak, after].map((bytes) => bytes / 1e6)
    return { ...found, memory: (peak - before) / size, beforeMb, peakMb, afterMb, megabytes: Math.round(size / 1e5) / 10 }
  })
}
