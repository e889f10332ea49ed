import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  closeOpenCalls,
  exportJsonLines,
  importSession,
  isSessionError,
  openSession,
  type SessionStore,
  type SessionSummary,
} from '@dsh/agent'
import type { CliIo } from '../cli-io.ts'
import { readLogFile, readLogOfSession, unknownSession } from '../session/read-log.ts'
import { hasStore, STORE_FILE, withStore } from '../session/session-store.ts'
import { printableJson, printableLine } from '../text/printable.ts'
import { styleOf } from '../text/style.ts'
import { cutToWidth } from '../text/width.ts'
import { systemReason, UsageError } from '../usage-error.ts'

/** Options of `dsh sessions`. */
export interface SessionsOptions {
  /** Only those in which this tool was called. */
  readonly tool?: string
  /** Only those with calls that failed. */
  readonly failed?: boolean
  /** Only those with calls that have no result. */
  readonly open?: boolean
  readonly json?: boolean
}

/** `dsh sessions [TEXT]`: list the sessions of the workspace, those whose id holds the text. @returns the exit code. */
export async function sessionsCommand(io: CliIo, root: string, text: string | undefined, options: SessionsOptions): Promise<number> {
  const { tool, failed, open, json } = options
  const all = hasStore(root) ? await withStore(root, (store) => store.list(tool === undefined ? {} : { tool })) : []
  const shown = all.filter((each) => (!failed || each.failed > 0) && (!open || each.open > 0) && each.id.includes(text ?? ''))
  if (json) for (const each of shown) io.stdout.write(`${printableJson({ v: 1, ...each })}\n`)
  else if (shown.length > 0) for (const line of table(io, shown)) io.stdout.write(`${line}\n`)
  else io.stderr.write(await noneLine(root))
  return 0
}

async function noneLine(root: string): Promise<string> {
  const count = hasStore(root) ? (await withStore(root, (store) => store.list())).length : 0
  if (count === 0) return 'No sessions yet. This makes one: dsh batch FILE --session NAME\n'
  return `None of the ${count} sessions matches. dsh sessions alone lists them all.\n`
}

function table(io: CliIo, sessions: readonly SessionSummary[]): string[] {
  const { color, columns } = styleOf(io.stdout, io.env)
  const rows = [['session', 'last event', 'calls', 'failed', 'state'], ...sessions.map(cells)]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)))
  return rows.map((row, index) => {
    const line = row.map((cell, column) =>
      column === 2 || column === 3 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    )
    const cut = cutToWidth(line.join('  ').trimEnd(), columns ?? Number.POSITIVE_INFINITY)
    return index === 0 ? color.dim(cut) : cut
  })
}

function cells({ id, updated, calls, failed, open, holder }: SessionSummary): string[] {
  const state = [holder && `written by process ${holder.pid} on ${printableLine(holder.host)}`, open > 0 && `${open} without a result`]
  return [id, localTime(updated), String(calls), String(failed), state.filter(Boolean).join(', ')]
}

/** Date and time where the person is, so that it sorts. */
function localTime(time: number): string {
  return new Date(time).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' })
}

/** `dsh sessions delete ID...`: remove sessions and what they hold. One that cannot be removed stops no other. @returns the exit code. */
export async function deleteSessionsCommand(io: CliIo, root: string, ids: readonly string[]): Promise<number> {
  assertStore(root)
  return withStore(root, async (store) => {
    let failed = 0
    for (const id of ids) {
      const problem = await deleted(store, id)
      if (problem === undefined) io.stdout.write(`deleted ${id}\n`)
      else failed++
      if (problem !== undefined) io.stderr.write(`dsh: ${printableLine(problem)}\n`)
    }
    return failed > 0 ? 1 : 0
  })
}

/** @returns why it was not. */
async function deleted(store: SessionStore, id: string): Promise<string | undefined> {
  try {
    await store.delete(id)
    return undefined
  } catch (error) {
    if (!isSessionError(error)) throw error
    return error.code === 'SESSION_NOT_FOUND' ? unknownSession(store, id) : error.message
  }
}

/** `dsh sessions export ID [FILE]`: write a session as JSON Lines. @returns the exit code. @throws UsageError */
export async function exportSessionCommand(io: CliIo, root: string, id: string, file: string | undefined): Promise<number> {
  const { events, broken } = await readLogOfSession(root, id)
  const text = [...exportJsonLines(events)].join('')
  if (file === undefined) io.stdout.write(text)
  else {
    await writeNew(resolve(io.cwd, file), text)
    io.stderr.write(`${events.length} events of ${printableLine(id)} are in ${printableLine(file)}\n`)
  }
  if (broken !== undefined) io.stderr.write(`dsh: ${printableLine(broken)}\n`)
  return broken === undefined ? 0 : 1
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST'
    throw new UsageError(`${path}: ${exists ? 'it is there already, and is left as it is' : systemReason(error)}. Name a new file.`, {
      cause: error,
    })
  }
}

/** `dsh sessions import FILE [ID]`: keep an export as a session of this workspace. @returns the exit code. @throws UsageError */
export async function importSessionCommand(io: CliIo, root: string, file: string, id: string | undefined): Promise<number> {
  const { events, broken, torn } = await readLogFile(resolve(io.cwd, file), file)
  if (broken !== undefined) throw new UsageError(`${broken} Nothing was imported.`)
  if (events.length === 0) throw new UsageError(`${file} holds no events.`)
  if (torn !== undefined) io.stderr.write(`dsh: ${printableLine(torn)}\n`)
  const session = await withStore(root, async (store) => {
    const imported = await importSession(store, events, id)
    await closeCalls(store, imported)
    return imported
  })
  io.stdout.write(`imported ${session}: ${events.length} events into ${STORE_FILE}\n`)
  return 0
}

/** What was under way where the log comes from is not run again here: nobody here allowed it. */
async function closeCalls(store: SessionStore, id: string): Promise<void> {
  const session = await openSession(store, id)
  try {
    await closeOpenCalls(session, session.openCalls, 'The log was imported from elsewhere.')
  } finally {
    await session.close()
  }
}

function assertStore(root: string): void {
  if (!hasStore(root)) throw new UsageError(`There are no sessions here: ${STORE_FILE} does not exist.`)
}
