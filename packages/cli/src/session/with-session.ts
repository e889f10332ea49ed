import { assertSessionId, isSessionError, openSession, type Session, SessionError } from '@dsh/agent'
import type { CliIo } from '../cli-io.ts'
import { printableLine } from '../text/printable.ts'
import { STORE_FILE, withStore } from './session-store.ts'

/**
 * Work with the session of that id, made when there is none. What a killed process left is repaired and told. It is closed however the work ends.
 * @returns the exit code.
 * @throws SessionError when it cannot be written: another process writes it, say.
 */
export async function withSession(io: CliIo, root: string, id: string, work: (session: Session) => Promise<number>): Promise<number> {
  assertSessionId(id) // before a store is made for it
  return withStore(root, async (store) => {
    const session = await openSession(store, id, { create: true })
    try {
      assertWritable(session)
      if (session.events.length === 0) io.stderr.write(`A new session: ${id}\n`)
      tellRepaired(io, session)
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
