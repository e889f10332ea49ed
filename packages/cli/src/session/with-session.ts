import {
  approvalLog,
  assertSessionId,
  isSessionError,
  openSession,
  type ResumedCall,
  resumeCalls,
  type Session,
  SessionError,
} from '@dsh/agent'
import type { CliIo } from '../cli-io.ts'
import { listenForCancellation } from '../host/cancellation.ts'
import type { Workspace } from '../host/workspace.ts'
import { cardsOf } from '../result/cards-of.ts'
import { resultLine } from '../result/result-line.ts'
import { printableLine } from '../text/printable.ts'
import { styleOf } from '../text/style.ts'
import { STORE_FILE, withStore } from './session-store.ts'

/**
 * Work with the operator's session of that id, made when there is none: approvals are logged, what a killed process left is repaired and
 * told, and calls that may run again are run again. When that is interrupted, the work is not begun. It is closed however the work ends.
 * @returns the exit code.
 * @throws SessionError when it cannot be written: another process writes it, say.
 */
export async function withSession(
  io: CliIo,
  workspace: Workspace,
  id: string,
  work: (session: Session) => Promise<number>,
): Promise<number> {
  assertSessionId(id) // before a store is made for it
  return withStore(workspace.root, async (store) => {
    const session = await openSession(store, id, { create: true })
    try {
      assertWritable(session)
      if (session.events.length === 0) io.stderr.write(`A new session: ${id}\n`)
      workspace.operator.session = session
      workspace.scope.provide('approval', approvalLog(session, workspace.approver))
      tellRepaired(io, session)
      if (await resume(io, workspace, session)) {
        io.stderr.write('Nothing else was begun.\n')
        return 130
      }
      return await work(session)
    } finally {
      await session.close()
      if (!session.heldBy) io.stderr.write(`Session ${id} is kept in ${STORE_FILE}; dsh replay ${id} shows it.\n`)
    }
  })
}

/** @throws SessionError that says where to look, too. */
function assertWritable(session: Session): void {
  try {
    session.assertWritable()
  } catch (error) {
    if (!isSessionError(error)) throw error
    throw new SessionError(error.code, `${error.message} dsh replay ${session.id} shows what it has come to.`, { cause: error })
  }
}

function tellRepaired(io: CliIo, { repaired }: Session): void {
  if (repaired.length > 0) io.stderr.write('The process that wrote this session last did not end it:\n')
  for (const { name, code } of repaired) {
    const what = code === 'TOOL_NOT_STARTED' ? 'had not started' : 'was started, and nobody knows what came of it'
    io.stderr.write(`  ${printableLine(name)} ${what} (${code})\n`)
  }
}

/** @returns whether it was interrupted. */
async function resume(io: CliIo, { runtime, operator }: Workspace, session: Session): Promise<boolean> {
  const { openCalls } = session
  if (openCalls.length === 0) return false
  const args = new Map(openCalls.map(({ call }) => [call.seq, call.data.arguments]))
  const names = openCalls.map(({ call }) => printableLine(call.data.name))
  io.stderr.write(`Running again what was under way and may be repeated: ${names.join(', ')}\n`)
  const cancellation = listenForCancellation(io, () => names)
  const style = styleOf(io.stderr, io.env)
  try {
    const { signal } = cancellation
    const resumed = await resumeCalls(session, { tools: runtime.tools, agent: operator, signal })
    for (const each of resumed) io.stderr.write(`  ${resultLine(settled(each, parsed(args.get(each.call))), style)}\n`)
    const closed = openCalls.length - resumed.length
    if (closed > 0) io.stderr.write(`  ${closed} of them ${closed === 1 ? 'was' : 'were'} not run: the tool is not what it was.\n`)
    return cancellation.interrupted
  } finally {
    cancellation.end()
  }

  function settled({ name, result }: ResumedCall, callArguments: unknown) {
    return { name, cards: cardsOf(runtime.tools.get(name, operator), callArguments, result), result, ranMs: undefined }
  }
}

function parsed(text: string | null | undefined): unknown {
  try {
    return text ? JSON.parse(text) : {}
  } catch {
    return undefined // a log that was made elsewhere: the result says what is wrong with them
  }
}
