import { type ResumedCall, resumeCalls, type Session } from '@dsh/agent'
import type { CliIo } from '../cli-io.ts'
import { listenForCancellation } from '../host/cancellation.ts'
import type { Workspace } from '../host/workspace.ts'
import { cardsOf } from '../result/cards-of.ts'
import { resultLine } from '../result/result-line.ts'
import { printableLine } from '../text/printable.ts'
import { styleOf } from '../text/style.ts'

/** Run the operator's calls again that a killed process left and that may be repeated, telling each. @returns whether it was interrupted. */
export async function resumeBatch(io: CliIo, { runtime, operator, screen }: Workspace, session: Session): Promise<boolean> {
  const { openCalls } = session
  if (openCalls.length === 0) return false
  const args = new Map(openCalls.map(({ call }) => [call.seq, call.data.arguments]))
  const names = openCalls.map(({ call }) => printableLine(call.data.name))
  io.stderr.write(`Running again what was under way and may be repeated: ${names.join(', ')}\n`)
  const cancellation = listenForCancellation(io, screen, () => names)
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
