import type { JsonValue } from '@dsh/tools'
import type { CallLife } from '../log/call-life.ts'
import { closingEvent, PROCESS_ENDED } from '../log/repair.ts'
import type { Session } from '../log/session.ts'

/**
 * Close calls that may run again without running them: the model reads that their outcome is not known. Settles when that is durable.
 * @param calls - default: all open calls of the session. @throws SessionError when it cannot be written.
 */
export async function closeOpenCalls(
  session: Session,
  calls: readonly CallLife[] = session.openCalls,
  why: string = PROCESS_ENDED,
): Promise<void> {
  session.assertWritable()
  const open = new Set(session.openCalls)
  for (const life of calls) {
    if (open.has(life)) void session.append(closingEvent(life, why) as { type: string; data: JsonValue }) // the flush tells what comes of it
  }
  await session.flush()
}
