import { approvalLog, openSession, type ResumedCall, resumeCalls, type Session } from '@dsh/agent'
import type { CliIo } from '../cli-io.ts'
import { listenForCancellation } from '../host/cancellation.ts'
import type { Workspace } from '../host/workspace.ts'
import { cardsOf } from '../result/cards-of.ts'
import { resultLine } from '../result/result-line.ts'
import { printableLine } from '../text/printable.ts'
import { styleOf } from '../text/style.ts'
import { STORE_FILE, withStore } from './session-store.ts'

/**
 * Work with the operator's session of that id, made when there is none: approvals are logged, what a killed process left is repaired and told, and
 * calls that may run again are run again. It is closed however the work ends.
 * @throws SessionError when it cannot be written: another process writes it, say.
 */
export function withSession<T>(io: CliIo, workspace: Workspace, id: string, work: (session: Session) => Promise<T>): Promise<T> {
  return withStore(workspace.root, async (store) => {
    const session = await openSession(store, id, { create: true })
    try {
      session.assertWritable()
      if (session.events.length === 0) io.stderr.write(`A new session: ${id}\n`)
      workspace.operator.session = session
      workspace.scope.provide('approval', approvalLog(session, workspace.approver))
      tellRepaired(io, session)
      await resume(io, workspace, session)
      return await work(session)
    } finally {
      await session.close()
      io.stderr.write(`Session ${id} is kept in ${STORE_FILE}; dsh replay ${id} shows it.\n`)
    }
  })
}

function tellRepaired(io: CliIo, { repaired }: Session): void {
  if (repaired.length > 0) io.stderr.write('The process that wrote this session last did not end it:\n')
  for (const { name, code } of repaired) {
    const what = code === 'TOOL_NOT_STARTED' ? 'had not started' : 'was started, and nobody knows what came of it'
    io.stderr.write(`  ${printableLine(name)} ${what} (${code})\n`)
  }
}

async function resume(io: CliIo, { runtime, operator }: Workspace, session: Session): Promise<void> {
  const { openCalls } = session
  if (openCalls.length === 0) return
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
  } finally {
    cancellation.end()
  }

  function settled({ name, result }: ResumedCall, callArguments: unknown) {
    return { name, cards: cardsOf(runtime.tools.get(name, operator), callArguments, result), result, ranMs: undefined }
  }
}

/** Arguments that ran once can be parsed. */
function parsed(text: string | null | undefined): unknown {
  return text ? JSON.parse(text) : {}
}
