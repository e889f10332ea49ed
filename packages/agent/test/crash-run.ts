import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { SessionEvent } from '../src/log/event.ts'
import { readEvents } from '../src/log/read-events.ts'
import type { TurnResult } from '../src/loop/turn-result.ts'
import { withStore } from './sqlite-folder.ts'

const CRASH = fileURLToPath(new URL('./children/crash.mjs', import.meta.url))

/** What a process does with the session `s` of a folder. */
export interface Plan {
  readonly seed: number
  /** How many batches it makes. Default 3. */
  readonly batches?: number
  /** Instead of batches: an agent takes its turn, by the answers that lie in the folder, or takes it up where it was killed. */
  readonly turn?: boolean
  /** Kill itself at this point. */
  readonly killAt?: number
  /** Kill itself from another thread after this time. */
  readonly killAfterMs?: number
  /** Make one more batch first, of calls that do not end, and kill itself when so many wait. */
  readonly killWaiting?: number
}

/** A run that came to its end. */
export interface WholeRun {
  readonly points: number
  /** At which point each phase began. */
  readonly phases: { readonly [phase: string]: number }
  readonly ms: number
  /** How the turn ended, when it was not over before. */
  readonly ended?: TurnResult
}

/** Run a process on the session of a folder. @returns undefined when it was killed. */
export async function runCrash(folder: string, plan: Plan): Promise<WholeRun | undefined> {
  const child = spawn(process.execPath, [CRASH, folder, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const [code, signal] = await once(child, 'close')
  expect(code === 0 || signal === 'SIGKILL', `ended with ${code} ${signal}: ${JSON.stringify(plan)}`).toBe(true)
  return out === '' ? undefined : JSON.parse(out)
}

/** What a body did, as it noted it outside the store. */
export interface Effect {
  readonly effects: 'none' | 'idempotent' | 'unknown'
  readonly call: number
  readonly callId: string
  readonly key: string
  readonly attempt: string
  readonly phase: 'begin' | 'end'
}

/** What the processes kept beside the store, by file. */
interface Notes {
  readonly attempted: SessionEvent
  readonly acknowledged: SessionEvent
  readonly told: { readonly callId: string; readonly isError: boolean }
  readonly effects: Effect
  readonly asked: { readonly key: string }
  readonly phases: string
}

export function notesOf<K extends keyof Notes>(folder: string, file: K): Notes[K][] {
  const path = join(folder, file)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line))
}

/** The log as it lies there, repaired by nobody. */
export async function rawLog(folder: string): Promise<readonly SessionEvent[]> {
  if (!existsSync(join(folder, '.dsh', 'sessions.db'))) return []
  return withStore(folder, async (store) => {
    if ((await store.list()).length === 0) return []
    const { events, broken } = await readEvents(store, 's', { cards: true })
    expect(broken).toBeUndefined()
    return events
  })
}
